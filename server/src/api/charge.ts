/**
 * Credits: a request is admitted only if its list price fits the credential's minute and day and the plan's day pool,
 * all three at once; what it costs in the end is settled with the answer (decisions §4).
 *
 * A process takes credits from the shared windows in blocks and spends them from memory, so that an ordinary request
 * asks nobody. Blocks shrink with what is left, down to the single price, and what lies idle is given back, so a window
 * is used up exactly, over any number of processes, and never over-granted. What a killed process held stays counted.
 */
import { performance } from 'node:perf_hooks'
import type { MaybePromise } from '../db/query.ts'
import { type Store, StoreUnavailable } from '../db/store.ts'
import { limits } from '../lib/limits.ts'
import type { Caller } from './caller.ts'
import { type Account, hold, reading, remainingOf } from './credit-accounts.ts'
import { type CreditOverrides, type CreditWindow, limitsOf, type WindowLimits, windowsOf } from './credit-limits.ts'
import { giveBack, type TakeResult, takeFrom, usedOf } from './credit-windows.ts'
import { refuse } from './errors.ts'

/** A take under way, and the windows that had no room for its price. */
interface Taking {
  readonly price: number
  readonly exhausted: Promise<readonly Account[]>
}

/** An admitted request's hold on the windows, until it is settled. */
export interface Charge {
  readonly price: number
  /** Credits charged in the end. */
  settle(cost: number): void
  headers(headers: Record<string, string>, now: number): void
}

export interface WindowReport {
  readonly kind: CreditWindow['kind']
  readonly limit: number | null
  readonly used: number
  readonly remaining: number | null
  readonly endsAt: number
}

export class Credits {
  private readonly store: Store
  private readonly overrides: CreditOverrides
  private readonly accounts = new Map<string, Account>()
  private readonly opened = new WeakMap<Caller, readonly Account[]>()
  private readonly taking = new Map<string, Taking>()
  /** Credits on their way back: read meanwhile, their window would still count them as used. */
  private giving: Promise<void> | null = null
  private readonly timer: NodeJS.Timeout
  private readonly idle_ms: number

  constructor(store: Store, overrides: CreditOverrides) {
    this.store = store
    this.overrides = overrides
    this.idle_ms = store.dialect === 'postgres' ? limits.credits_idle_shared_ms : limits.credits_idle_ms
    this.timer = setInterval(() => void this.giveBackIdle(false), Math.max(20, this.idle_ms / 2))
    this.timer.unref()
  }

  limitsOf(caller: Caller): WindowLimits {
    return limitsOf(caller.plan ?? 'studio', caller.mode, this.overrides)
  }

  /** Holds the price in all windows. Refuses with 429, or 503 when the windows cannot be asked. */
  admit(caller: Caller, price: number, now: number): MaybePromise<Charge> {
    const accounts = this.open(caller, now)
    return hold(accounts, price) ? charge(accounts, price) : this.admitTaking(accounts, caller, price, now)
  }

  private async admitTaking(accounts: readonly Account[], caller: Caller, price: number, now: number): Promise<Charge> {
    let waited = false
    while (!hold(accounts, price)) {
      const exhausted = await this.take(caller, accounts, price).catch((error: unknown) => {
        throw error instanceof StoreUnavailable ? refuse('rate_limit_unavailable', { retryAfter: 1 }) : error
      })
      if (exhausted.length === 0) continue
      if (waited || this.store.dialect !== 'postgres') throw exceeded(exhausted, accounts, now)
      // Another process may hold credits that it does not need: it gives them back when idle.
      waited = true
      await new Promise((resolve) => setTimeout(resolve, 2 * this.idle_ms))
    }
    return charge(accounts, price)
  }

  /** The accounts of a caller's windows at `now`. They stay the same until the caller's next minute. */
  private open(caller: Caller, now: number): readonly Account[] {
    const touchedAt = performance.now()
    const last = this.opened.get(caller)
    const minute = last?.[0]?.window
    if (last === undefined || minute === undefined || now < minute.startsAt || now >= minute.endsAt) {
      const accounts = this.openAnew(caller, now, touchedAt)
      this.opened.set(caller, accounts)
      return accounts
    }
    for (const account of last) account.touchedAt = touchedAt
    return last
  }

  private openAnew(caller: Caller, now: number, touchedAt: number): Account[] {
    return windowsOf(caller, now, this.limitsOf(caller)).map((window) => {
      let key = `${window.subject} ${window.kind}`
      let account = this.accounts.get(key)
      // A request that came just before the turn of a window must not push out the window that has begun.
      if (account !== undefined && account.window.startsAt > window.startsAt) {
        key += ` ${window.startsAt}`
        account = this.accounts.get(key)
      }
      if (account === undefined || account.window.startsAt !== window.startsAt) {
        account = { window, used: 0, inHand: 0, touchedAt, readers: 0 }
        this.accounts.set(key, account)
      }
      account.window = window
      account.touchedAt = touchedAt
      return account
    })
  }

  /** Takes what is lacking, one take at a time an organization. Returns the windows that have no room for the price. */
  private async take(caller: Caller, accounts: readonly Account[], price: number): Promise<readonly Account[]> {
    const before = this.taking.get(caller.organization)
    if (before !== undefined) {
      // Its failure is the failure of all who waited: each trying by itself would wait for the store in turn.
      const exhausted = await before.exhausted
      return price < before.price ? [] : exhausted.filter((account) => accounts.includes(account))
    }
    const exhausted = this.takeOnce(accounts, price)
    this.taking.set(caller.organization, { price, exhausted })
    try {
      return await exhausted
    } finally {
      this.taking.delete(caller.organization)
    }
  }

  private async takeOnce(accounts: readonly Account[], price: number): Promise<readonly Account[]> {
    await this.giving
    const lacking = accounts.filter((account) => account.inHand < price)
    return await reading(lacking, () => this.takeFor(lacking, price))
  }

  private async takeFor(lacking: readonly Account[], price: number): Promise<readonly Account[]> {
    const room = await Promise.all(lacking.map((account) => this.hasRoom(account, price)))
    if (!room.every(Boolean)) return lacking.filter((_, i) => !room[i])
    const results = await takeFrom(
      this.store,
      lacking.map((account) => ({
        window: account.window,
        need: Math.max(0, price - account.inHand),
        want: (used) => blockOf(account.window.limit, used),
      })),
    )
    lacking.forEach((account, i) => {
      const result = results[i] as TakeResult
      account.used = result.used
      account.inHand += result.taken
    })
    return lacking.filter((_, i) => !(results[i] as TakeResult).fits)
  }

  /** A look before the lock: a caller without credits costs no transaction. */
  private async hasRoom(account: Account, price: number): Promise<boolean> {
    const { limit } = account.window
    if (limit === null) return true
    account.used = await usedOf(this.store.reader('system'), account.window)
    return account.used + price - account.inHand <= limit
  }

  /** The windows as they stand, the caller's own request counted. */
  async report(caller: Caller, now: number): Promise<WindowReport[]> {
    await this.giving
    const reader = this.store.reader('system')
    return await Promise.all(
      this.open(caller, now).map(async (account) => {
        account.used = await reading([account], () => usedOf(reader, account.window))
        const { kind, limit, endsAt } = account.window
        return { kind, limit, used: account.used - account.inHand, remaining: remainingOf(account), endsAt }
      }),
    )
  }

  private async giveBackIdle(all: boolean): Promise<void> {
    if (this.giving !== null) await this.giving
    const giving = this.giveBackNow(all).finally(() => {
      if (this.giving === giving) this.giving = null
    })
    this.giving = giving
    await giving
  }

  private async giveBackNow(all: boolean): Promise<void> {
    const before = performance.now() - this.idle_ms
    const rest: { account: Account; window: CreditWindow; amount: number }[] = []
    for (const [key, account] of this.accounts) {
      if (!all && (account.readers > 0 || account.touchedAt > before)) continue
      if (account.inHand > 0) {
        rest.push({ account, window: account.window, amount: account.inHand })
        account.used -= account.inHand
        account.inHand = 0
      } else if (!all && account.touchedAt < before - limits.credits_forget_ms) this.accounts.delete(key)
    }
    if (rest.length === 0) return
    try {
      await giveBack(this.store, rest)
    } catch (error) {
      // What may have been given back is not spent: a window is rather under-used than over-granted.
      if (error instanceof StoreUnavailable && error.uncertain) return
      for (const { account, amount } of rest) {
        account.used += amount
        account.inHand += amount
      }
    }
  }

  /** Gives everything back. */
  async close(): Promise<void> {
    clearInterval(this.timer)
    await this.giveBackIdle(true)
  }
}

function blockOf(limit: number | null, used: number): number {
  if (limit === null) return limits.credits_block_max
  return Math.min(limits.credits_block_max, Math.floor((limit - used) / limits.credits_block_share))
}

/** The charge of a price that is held. */
function charge(accounts: readonly Account[], price: number): Charge {
  return {
    price,
    settle(cost) {
      for (const account of accounts) account.inHand += price - cost
    },
    headers: (headers, now) => windowHeaders(accounts, headers, now),
  }
}

/** `X-RateLimit-*` of the window with the least remaining, and the IETF pair of all that are limited. */
function windowHeaders(accounts: readonly Account[], headers: Record<string, string>, now: number): void {
  let least: Account | null = null
  let least_remaining = Number.POSITIVE_INFINITY
  let policy = ''
  let state = ''
  for (const account of accounts) {
    const { kind, limit, startsAt, endsAt } = account.window
    if (limit === null) continue
    const remaining = remainingOf(account) as number
    if (remaining < least_remaining) {
      least = account
      least_remaining = remaining
    }
    const comma = policy === '' ? '' : ', '
    policy += `${comma}"${kind}";q=${limit};w=${(endsAt - startsAt) / 1000}`
    state += `${comma}"${kind}";r=${remaining};t=${Math.max(1, Math.ceil((endsAt - now) / 1000))}`
  }
  if (least === null) return
  headers['X-RateLimit-Limit'] = String(least.window.limit)
  headers['X-RateLimit-Remaining'] = String(least_remaining)
  headers['X-RateLimit-Reset'] = String(Math.ceil(least.window.endsAt / 1000))
  headers['RateLimit-Policy'] = policy
  headers.RateLimit = state
}

function exceeded(exhausted: readonly Account[], accounts: readonly Account[], now: number): Error {
  const endsAt = Math.max(...exhausted.map((account) => account.window.endsAt))
  const headers: Record<string, string> = {}
  windowHeaders(accounts, headers, now)
  const { kind } = (exhausted.find((account) => account.window.endsAt === endsAt) as Account).window
  return refuse('rate_limit_exceeded', {
    message: `The credits of the ${kind === 'plan_day' ? "plan's day" : kind} are used up.`,
    retryAfter: Math.max(1, Math.ceil((endsAt - now) / 1000)),
    headers,
  })
}
