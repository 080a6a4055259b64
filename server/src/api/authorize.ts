/**
 * What a known caller may do: the operation's switch, the plan, the scope, in this order (decisions §2); and of a person
 * in the console, whether it was confirmed just before.
 */
import type { Caller } from './caller.ts'
import { refuse } from './errors.ts'
import type { Operation } from './operation.ts'
import type { Scope } from './scopes.ts'

/** 503 without Retry-After: only the operator can switch it on again. */
export function requireEnabled(operation: Operation, disabled: ReadonlySet<string>): void {
  if (disabled.has(operation.id)) throw refuse('endpoint_disabled')
}

export function requirePlan(caller: Caller): void {
  if (caller.plan === null) throw refuse('plan_required')
}

/** 403 names the scope. */
export function requireScope(caller: Caller, scope: Scope | null): void {
  if (scope !== null && !caller.scopes.has(scope)) {
    throw refuse('insufficient_scope', {
      message: `This needs the scope ${scope}, which the credential does not have.`,
    })
  }
}

/** What takes more with it than itself: a page left open, or a stolen session, must not be enough for it. */
const confirmed_operations: ReadonlySet<string> = new Set(['boards.delete', 'portfolios.delete', 'projects.delete'])

/** Keys and endpoints need no entry here: only a confirmed session has their scope. */
export function requireConfirmation(caller: Caller, operation: Operation): void {
  if (caller.kind !== 'session' || caller.confirmed === true || !confirmed_operations.has(operation.id)) return
  throw refuse('step_up_required')
}
