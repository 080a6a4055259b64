/** What was read is kept here, and forgotten with the session. Live events keep it true; it is asked for again where they cannot. */
import { QueryClient } from '@tanstack/react-query'
import { onSessionChange } from './session-store.ts'

const fresh_ms = 30_000
const kept_ms = 600_000

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: fresh_ms,
      gcTime: kept_ms,
      // The SDK tries again by itself, where that is of use.
      retry: false,
      networkMode: 'always',
      structuralSharing: true,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})

onSessionChange(() => queryClient.clear())
