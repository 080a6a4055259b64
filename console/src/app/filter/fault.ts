/** Why the API refused a filter, and where. */
import { ApiError } from '@atrium/sdk'

export interface FilterFault {
  readonly message: string
  /** The position of the wrong character, from 0. */
  readonly at: number | null
}

/** The fault of the filter, if that is why the list was refused. */
export function filterFault(error: unknown): FilterFault | null {
  if (!(error instanceof ApiError) || error.param !== 'filter') return null
  const position = /\(at character (\d+)\)/.exec(error.message)
  return { message: error.message, at: position ? Number(position[1]) - 1 : null }
}
