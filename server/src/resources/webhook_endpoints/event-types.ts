import { refuse } from '../../api/errors.ts'
import { isKnownPattern } from '../../api/event.ts'

/** Refuses a pattern that takes no event type there is (decisions §11). */
export function requireKnownTypes(patterns: readonly string[] | undefined): void {
  const unknown = patterns?.findIndex((pattern) => !isKnownPattern(pattern)) ?? -1
  if (unknown < 0) return
  const param = `event_types[${unknown}]`
  throw refuse('invalid_request_body', {
    param,
    message: `${param} names no event type: workflow.task.*, workflow.*, *`,
  })
}
