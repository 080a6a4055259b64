/** What a known caller may do: the operation's switch, the plan, the scope, in this order (decisions §2). */
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
