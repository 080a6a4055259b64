/**
 * Checks what a caller may do, in this order: operation enabled, plan, scope, and for a person in the console a recent
 * confirmation (contract/02#order-of-checks).
 */
import type { Caller } from '../declare/caller.ts'
import { refuse } from '../declare/errors.ts'
import type { Operation } from '../declare/operation.ts'
import { isForGuests } from '../declare/rights.ts'
import type { Scope } from '../declare/scopes.ts'

/** Refuses with 503 without Retry-After: only the operator can enable the operation again. */
export function requireEnabled(operation: Operation, disabled: ReadonlySet<string>): void {
  if (disabled.has(operation.id)) throw refuse('endpoint_disabled')
}

export function requirePlan(caller: Caller): void {
  if (caller.plan === null) throw refuse('plan_required')
}

/** Refuses a guest what is not for guests (`declare/rights.ts`). */
export function requireForGuest(caller: Caller, operation: Operation): void {
  if (caller.guest === null || isForGuests(operation.id)) return
  throw refuse('insufficient_scope', { message: 'This operation is not for guests.' })
}

/** Refuses with 403, naming the scope. */
export function requireScope(caller: Caller, scope: Scope | null): void {
  if (scope !== null && !caller.scopes.has(scope)) {
    throw refuse('insufficient_scope', {
      message: `This operation needs the scope ${scope}, which the credential does not have.`,
    })
  }
}

/**
 * Refuses a console session that has not confirmed recently where the operation asks for it. API keys and webhook
 * endpoints need no declaration: only a confirmed session has their scope.
 */
export function requireConfirmation(caller: Caller, operation: Operation): void {
  if (operation.confirmed && caller.kind === 'session' && caller.confirmed !== true) throw refuse('step_up_required')
}
