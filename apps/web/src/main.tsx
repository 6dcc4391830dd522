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
import './styles/table-page.css'
import './styles/time-travel.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './App.tsx'
import { queryClient } from './api/query-client.ts'
import { loadRecords, recordRun } from './history/browser-store.ts'
import { loadTabs } from './features/editor/tabs-store.ts'
import { endProviderVisit } from './features/sign-in/provider-visit.ts'
import { askBeforeLeaving, leaveUnasked } from './leave-page.ts'
import { onRunChange } from './query-run/run-registry.ts'
import { onSignedOutElsewhere, removeLeftRows, storeRun } from './query-run/stored-runs.ts'
import { SessionGate } from './SessionGate.tsx'
import { loadPlaces } from './storage/places.ts'
import { holdWindow } from './storage/window-life.ts'
import { forgetResultsOfLostTabs } from './tab-results.ts'
import { ErrorBoundary } from './ui/ErrorBoundary.tsx'
import { startTheme } from './ui/theme.ts'

startTheme()
holdWindow()
onRunChange(recordRun)
onRunChange((run) => void storeRun(run))
askBeforeLeaving()
// What is on the screen is of who has signed out.
onSignedOutElsewhere(() => leaveUnasked('/'))
const outcome = endProviderVisit()
// A page that began with other tabs and then took up the kept ones would be in the way of who types at once.
await Promise.all([loadTabs(), loadRecords(), loadPlaces()])
removeLeftRows()
forgetResultsOfLostTabs()

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
