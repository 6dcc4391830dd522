// Starts the app: fonts, styles, theme, the query client and the root.
import './styles/fonts.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/shell.css'
import './styles/catalog.css'
import './styles/charts.css'
import './styles/compare.css'
import './styles/export.css'
import './styles/results.css'
import './styles/scan.css'
import './styles/sign-in.css'
import './styles/time-travel.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './App.tsx'
import { queryClient } from './api/query-client.ts'
import { loadRecords, recordRun } from './history/browser-store.ts'
import { endProviderVisit } from './features/sign-in/provider-visit.ts'
import { onRunEnd } from './query-run/run-registry.ts'
import { SessionGate } from './SessionGate.tsx'
import { ErrorBoundary } from './ui/ErrorBoundary.tsx'
import { startTheme } from './ui/theme.ts'

startTheme()
onRunEnd(recordRun)
void loadRecords()
const outcome = endProviderVisit()

const root = document.getElementById('root')
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <ErrorBoundary name="The workbench">
          <SessionGate outcome={outcome}>
            <App />
          </SessionGate>
        </ErrorBoundary>
      </QueryClientProvider>
    </StrictMode>,
  )
