/** Why the API refused a filter, and where. */
import { ApiError } from '@atrium/sdk'

const place = /\(at character (\d+)\)/

export interface FilterFault {
  readonly message: string
  /** The position of the wrong character, from 0. */
  readonly at: number | null
}

/** The fault in a part of the filter that begins at `start`. */
export function faultWithin({ message, at }: FilterFault, start: number): FilterFault {
  if (at === null || at < start) return { message, at: null }
  const shown = at - start
  return { message: message.replace(place, `(at character ${shown + 1})`), at: shown }
}

/** The fault of the filter, if that is why the list was refused. */
export function filterFault(error: unknown): FilterFault | null {
  if (!(error instanceof ApiError) || error.param !== 'filter') return null
  const position = place.exec(error.message)
  return { message: error.message, at: position ? Number(position[1]) - 1 : null }
}
