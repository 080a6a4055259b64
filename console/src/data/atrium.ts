/** The API in components: the client of the page's mode, and how things are done that need a confirmation. */
import type { Atrium } from '@atrium/sdk'
import { useCallback } from 'react'
import { useMode } from './mode.ts'
import { clientOf, managingClient } from './tokens.ts'

/** The client of `/v1`, as the person who is signed in, in the mode of the page. */
export function useAtrium(): Atrium {
  return clientOf(useMode())
}

/** Does what needs `api:manage`, as keys and endpoints do: `await manage((atrium) => atrium.apiKeys.create(…))`. */
export function useManage(): <T>(job: (atrium: Atrium) => PromiseLike<T>) => Promise<T> {
  const mode = useMode()
  return useCallback(async (job) => await job(await managingClient(mode)), [mode])
}
