/** The SDK client in components. */
import type { Atrium } from '@atrium/sdk'
import { useMode } from './mode.ts'
import { clientOf } from './tokens.ts'

/** The client of `/v1` for the signed-in user and the page's mode. */
export function useAtrium(): Atrium {
  return clientOf(useMode())
}
