/** The credit windows of a caller and their limits (contract/04#default-limits). */
import type { Caller, Mode, Plan } from '../declare/caller.ts'
import { limits as api_limits } from '../limits.ts'

export type WindowKind = 'minute' | 'day' | 'plan_day'

/** What is answered although the credits are used up: usage and replays; conditional reads that found no match. */
export type BeyondKind = 'beyond' | 'unmatched'

/** Requests without a credential that are counted for an organization, per minute or day: to its incoming webhooks and forms. */
type ReceivedKind = 'received' | 'received_day'

export interface CreditWindow {
  readonly organization: string
  /** The credential, or the organization for the plan's pool. */
  readonly subject: string
  readonly kind: WindowKind | BeyondKind | ReceivedKind
  /** Milliseconds. */
  readonly startsAt: number
  readonly endsAt: number
  /** `null`: unlimited. */
  readonly limit: number | null
}

export type WindowLimits = Readonly<Record<WindowKind, number | null>>

const by_plan: Readonly<Record<Plan, WindowLimits>> = {
  studio: { minute: 1_000, day: 100_000, plan_day: 500_000 },
  enterprise: { minute: 10_000, day: null, plan_day: null },
}

const of_test = { minute: 1_000, day: 20_000 }

/** The operator's overrides for both realms. A missing one means the plan's default. */
export type CreditOverrides = Readonly<Partial<WindowLimits>>

export function limitsOf(plan: Plan, mode: Mode, overrides: CreditOverrides): WindowLimits {
  return { ...by_plan[plan], ...(mode === 'test' ? of_test : {}), ...overrides }
}

const lengths: Readonly<Record<WindowKind, number>> = { minute: 60_000, day: 86_400_000, plan_day: 86_400_000 }
/** Windows are locked in this order. */
export const window_kinds: readonly WindowKind[] = ['minute', 'day', 'plan_day']

/** The three windows of a caller at `now`: the UTC minute, the UTC day and the plan's day pool. */
export function windowsOf(caller: Caller, now: number, limits: WindowLimits): CreditWindow[] {
  return window_kinds.map((kind) => {
    const startsAt = now - (now % lengths[kind])
    return {
      organization: caller.organization,
      subject: kind === 'plan_day' ? caller.organization : caller.credential,
      kind,
      startsAt,
      endsAt: startsAt + lengths[kind],
      limit: limits[kind],
    }
  })
}

/** The UTC minute in which the requests to `subject` are counted, apart from the credits. */
export function receivedWindow(organization: string, subject: string, limit: number, now: number): CreditWindow {
  const startsAt = now - (now % lengths.minute)
  return { organization, subject, kind: 'received', startsAt, endsAt: startsAt + lengths.minute, limit }
}

/** The UTC day in which the requests to `subject` are counted, apart from the credits. */
export function receivedDay(organization: string, subject: string, limit: number, now: number): CreditWindow {
  const startsAt = now - (now % lengths.day)
  return { organization, subject, kind: 'received_day', startsAt, endsAt: startsAt + lengths.day, limit }
}

/** The UTC minute in which a credential's answers beyond its credits are counted (contract/04#beyond-the-credits). */
export function beyondWindow({ organization, credential }: Caller, kind: BeyondKind, now: number): CreditWindow {
  const startsAt = now - (now % lengths.minute)
  return {
    organization,
    subject: credential,
    kind,
    startsAt,
    endsAt: startsAt + lengths.minute,
    limit: api_limits.beyond_credits_max,
  }
}
