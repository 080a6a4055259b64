/** The SDK client in components. */
import type { Atrium } from '@atrium/sdk'
import { useCallback } from 'react'
import { useMode } from './mode.ts'
import { clientOf, managingClient } from './tokens.ts'

/** The client of `/v1` for the signed-in user and the page's mode. */
export function useAtrium(): Atrium {
  return clientOf(useMode())
}

/** Runs a job with `api:manage`, after a step-up if one is required: `await manage((atrium) => atrium.apiKeys.create(…))`. */
export function useManage(): <T>(job: (atrium: Atrium) => PromiseLike<T>) => Promise<T> {
  const mode = useMode()
  return useCallback(async (job) => await job(await managingClient(mode)), [mode])
}
