/** The cache of reads. Live events keep it current; it is cleared when the session changes. */
import { QueryClient } from '@tanstack/react-query'
import { isNetworkFailure } from './connection.ts'
import { onSessionChange } from './session-store.ts'

const fresh_ms = 30_000
const kept_ms = 600_000
const retry_ms = 3000

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: fresh_ms,
      gcTime: kept_ms,
      // The SDK retries. A read that the network fails goes on, so that what is shown stays; it starts again with the connection.
      retry: (_, error) => isNetworkFailure(error),
      retryDelay: retry_ms,
      networkMode: 'always',
      structuralSharing: true,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})

onSessionChange(() => queryClient.clear())
