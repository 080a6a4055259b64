/** Credits: two windows per credential and one for the plan, each aligned to UTC minutes or days (contract/04#windows). */

import type { Model } from './model.ts'
import type { Remaining } from './model-request.ts'
import type { Credential, Window } from './state.ts'

export const spans = { minute: 60, day: 86_400, plan_day: 86_400 } as const
type Span = keyof typeof spans
const names: readonly Span[] = ['minute', 'day', 'plan_day']

export function windowOf(model: Model, { id }: Credential, span: Span): Window {
  const name = span === 'plan_day' ? span : `${id} ${span}`
  const begins = model.now - (model.now % spans[span])
  const known = model.data.windows[name]
  if (known !== undefined && known.begins === begins) return known
  const opened = { begins, used: 0 }
  model.data.windows[name] = opened
  return opened
}

export function remainingOf(model: Model, credential: Credential): Remaining {
  const left = (span: Span): number | null => {
    const limit = model.setting.limits[span]
    return limit === null ? null : Math.max(0, limit - windowOf(model, credential, span).used)
  }
  return { minute: left('minute'), day: left('day'), plan_day: left('plan_day') }
}

/** Whether every window has room for a request of this price. */
export function fits(model: Model, credential: Credential, price: number): boolean {
  const remaining = remainingOf(model, credential)
  return names.every((span) => remaining[span] === null || (remaining[span] ?? 0) >= price)
}

export function charge(model: Model, credential: Credential, cost: number): void {
  for (const span of names) windowOf(model, credential, span).used += cost
}

/** Answers per minute that a credential gets beyond its credits (contract/04#beyond-the-credits). */
export const beyond_max = 60

/** Whether another such answer is possible in this minute; counts it. */
export function countBeyond(model: Model, { id }: Credential, kind: 'beyond' | 'unmatched'): boolean {
  const name = `${id} ${kind}`
  const begins = model.now - (model.now % spans.minute)
  const known = model.data.windows[name]
  const window = known !== undefined && known.begins === begins ? known : { begins, used: 0 }
  model.data.windows[name] = window
  if (window.used >= beyond_max) return false
  window.used++
  return true
}
