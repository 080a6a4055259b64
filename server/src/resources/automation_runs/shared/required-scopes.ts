import type { Caller } from '../../../api/declare/caller.ts'
import { refuse } from '../../../api/declare/errors.ts'
import type { Scope } from '../../../api/declare/scopes.ts'

/** Refuses with 403 a caller without all of these scopes. `verb` says what the flow does with them. */
export function requireFlowScopes({ scopes }: Caller, required: readonly Scope[], verb = 'needs'): void {
  const missing = required.filter((scope) => !scopes.has(scope))
  if (missing.length === 0) return
  const names = `${missing.length === 1 ? 'the scope' : 'the scopes'} ${missing.join(', ')}`
  throw refuse('insufficient_scope', { message: `The flow ${verb} ${names}, which the credential does not have.` })
}
