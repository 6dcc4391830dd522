// Starts the app: fonts, styles, theme, the query client and the root.
import './styles/fonts.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/shell.css'
import './styles/catalog.css'
import './styles/results.css'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './App.tsx'
import { toApiError } from './api/api-error.ts'
import { startTheme } from './ui/theme.ts'

startTheme()

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // One more try for what may pass by itself; anything else is an answer.
      retry: (failureCount, error) => failureCount < 1 && toApiError(error).isRetryable,
      refetchOnWindowFocus: false,
    },
  },
})

const root = document.getElementById('root')
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  )
