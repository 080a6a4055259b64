import { refuse } from '../../api/declare/errors.ts'
import { isKnownPattern, unknownPattern } from '../../api/declare/event.ts'

/** Refuses a pattern that matches no event type (contract/10#type-patterns). */
export function requireKnownTypes(patterns: readonly string[] | undefined): void {
  const unknown = patterns?.findIndex((pattern) => !isKnownPattern(pattern)) ?? -1
  if (unknown < 0) return
  const param = `event_types[${unknown}]`
  throw refuse('invalid_request_body', {
    param,
    message: unknownPattern(patterns?.[unknown] ?? ''),
  })
}
