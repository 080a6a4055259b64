/**
 * Admits a request only if its list price fits three windows at once: the credential's minute, its day, and the plan's day
 * pool (contract/04#admission). The cost is settled with the answer.
 *
 * A process takes credits from the shared windows in blocks and spends them from memory, so most requests need no query.
 * Blocks shrink as a window fills, down to a single price, and idle credits are returned. Invariant: over all processes a
 * window is never over-granted and can be used up exactly. Credits of a killed process stay counted as used. A window
 * without limit is counted in memory and added to its row every few seconds. So is every window while the database is a
 * read-only standby: each process then grants up to the limit by itself, and adds that to the rows afterwards.
 */
import { performance } from 'node:perf_hooks'
import type { MaybePromise } from '../../db/query.ts'
import { type Store, StoreUnavailable } from '../../db/store.ts'
import type { Caller } from '../declare/caller.ts'
import { refuse } from '../declare/errors.ts'
import { limits } from '../limits.ts'
import { type Account, grant, keepWhileReading, remainingOf, reserveCredits } from './credit-accounts.ts'
import {
  type BeyondKind,
  beyondWindow,
  type CreditOverrides,
  type CreditWindow,
  limitsOf,
  type WindowLimits,
  windowsOf,
} from './credit-limits.ts'
import { returnCredits, type TakeResult, takeBlocks, takeCredits, usedOf } from './credit-windows.ts'

/** A running take, and the windows without room for its price. */
interface Taking {
  readonly price: number
  readonly exhausted: Promise<readonly Account[]>
}

/** The credits reserved for an admitted request until its cost is settled. */
export interface Charge {
  readonly price: number
  /** Charges `cost` and releases the rest of the reservation. */
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
  /** A running return of idle credits. Windows are read after it, because they still count those credits as used. */
  private giving: Promise<void> | null = null
  private readonly timer: NodeJS.Timeout
  private readonly idle_ms: number
  /** When windows without limit are counted next. */
  private countAt = performance.now() + limits.credits_count_ms

  constructor(store: Store, overrides: CreditOverrides) {
    this.store = store
    this.overrides = overrides
    this.idle_ms = store.dialect === 'postgres' ? limits.credits_idle_shared_ms : limits.credits_idle_ms
    this.timer = setInterval(() => void this.startReturn(false), Math.max(20, this.idle_ms / 2))
    this.timer.unref()
  }

  limitsOf(caller: Caller): WindowLimits {
    return limitsOf(caller.plan ?? 'studio', caller.mode, this.overrides)
  }

  /** Reserves the price in all windows. Refuses with 429, or 503 when the windows cannot be read. */
  admit(caller: Caller, price: number, now: number): MaybePromise<Charge> {
    const accounts = this.open(caller, now)
    return reserveCredits(accounts, price)
      ? charge(accounts, price)
      : this.admitAfterTaking(accounts, caller, price, now)
  }

  private async admitAfterTaking(
    accounts: readonly Account[],
    caller: Caller,
    price: number,
    now: number,
  ): Promise<Charge> {
    let waited = false
    while (!reserveCredits(accounts, price)) {
      const exhausted = await this.take(caller, accounts, price).catch((error: unknown) => {
        throw error instanceof StoreUnavailable ? refuse('rate_limit_unavailable', { retryAfter: 1 }) : error
      })
      if (exhausted.length === 0) continue
      if (waited || this.store.dialect !== 'postgres') throw refuseExhausted(exhausted, accounts, price, now)
      // Another process may hold credits it does not need; it returns them when idle.
      waited = true
      await new Promise((resolve) => setTimeout(resolve, 2 * this.idle_ms))
    }
    return charge(accounts, price)
  }

  /** Whether each window has a credit left, after a refusal has read them. */
  isAnythingLeft(caller: Caller, now: number): boolean {
    return this.open(caller, now).every((account) => remainingOf(account) !== 0)
  }

  /** Whether the caller has had fewer than the maximum of these answers in this minute. */
  async hasBeyond(caller: Caller, kind: BeyondKind, now: number): Promise<boolean> {
    const window = beyondWindow(caller, kind, now)
    return (await usedOf(this.store.reader('system'), window)) < (window.limit as number)
  }

  /**
   * Counts an answer beyond the credits; it costs nothing. Null after the maximum of this minute, which all processes
   * count together (contract/04#beyond-the-credits).
   */
  async countBeyond(caller: Caller, kind: BeyondKind, now: number): Promise<Charge | null> {
    if (!(await this.hasBeyond(caller, kind, now))) return null
    const window = beyondWindow(caller, kind, now)
    const [taken] = await takeCredits(this.store, [{ window, need: 1, want: () => 1 }])
    return taken?.fits ? this.freeCharge(caller, now) : null
  }

  /**
   * Counts a request in windows apart from the credits, over all processes. Refuses with 429 and counts nothing if one is full;
   * a full window costs a read.
   */
  async countReceived(windows: readonly CreditWindow[], now: number): Promise<void> {
    const reader = this.store.reader('system')
    for (const window of windows) {
      if ((await usedOf(reader, window)) >= (window.limit ?? Number.POSITIVE_INFINITY))
        throw refuseReceived(window, now)
    }
    const taken = await takeCredits(
      this.store,
      windows.map((window) => ({ window, need: 1, want: () => 1 })),
    )
    const full = windows.find((_, i) => !taken[i]?.fits)
    if (full !== undefined) throw refuseReceived(full, now)
  }

  /** A charge that reserves and costs nothing. */
  freeCharge(caller: Caller, now: number): Charge {
    const accounts = this.open(caller, now)
    return { price: 0, settle() {}, headers: (headers, at) => windowHeaders(accounts, headers, at) }
  }

  /** The accounts of a caller's windows at `now`; the same objects until the next minute begins. */
  private open(caller: Caller, now: number): readonly Account[] {
    const touchedAt = performance.now()
    const last = this.opened.get(caller)
    const minute = last?.[0]?.window
    if (last === undefined || minute === undefined || now < minute.startsAt || now >= minute.endsAt) {
      const accounts = this.openAccounts(caller, now, touchedAt)
      this.opened.set(caller, accounts)
      return accounts
    }
    for (const account of last) account.touchedAt = touchedAt
    return last
  }

  private openAccounts(caller: Caller, now: number, touchedAt: number): Account[] {
    return windowsOf(caller, now, this.limitsOf(caller)).map((window) => {
      let key = `${window.subject} ${window.kind}`
      let account = this.accounts.get(key)
      // A request received just before a window ended must not replace the window that has begun.
      if (account !== undefined && account.window.startsAt > window.startsAt) {
        key += ` ${window.startsAt}`
        account = this.accounts.get(key)
      }
      if (account === undefined || account.window.startsAt !== window.startsAt) {
        // What the row of the ended window does not count yet is added by the next return.
        if (account !== undefined && account.uncounted !== 0)
          this.accounts.set(`${key} ${account.window.startsAt}`, account)
        account = { window, used: 0, inHand: 0, uncounted: 0, touchedAt, readers: 0 }
        this.accounts.set(key, account)
      }
      account.window = window
      account.touchedAt = touchedAt
      return account
    })
  }

  /** Takes missing credits, one take at a time per organization. Returns the windows without room for the price. */
  private async take(caller: Caller, accounts: readonly Account[], price: number): Promise<readonly Account[]> {
    const before = this.taking.get(caller.organization)
    if (before !== undefined) {
      // All waiting requests share the failure: separate attempts would wait for the store one after the other.
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
    const lacking = () => accounts.filter((account) => account.inHand < price)
    return await this.readWindows(accounts, async () => {
      try {
        await this.takeUsualBlocks(lacking())
        return await this.takeFor(lacking(), price)
      } catch (error) {
        if (!(error instanceof StoreUnavailable && error.readOnly)) throw error
        return await this.takeUncounted(lacking(), price)
      }
    })
  }

  /** Takes a block of each window in one statement on one PostgreSQL server; nothing of a window that is nearly used up. */
  private async takeUsualBlocks(accounts: readonly Account[]): Promise<void> {
    if (this.store.dialect !== 'postgres' || this.store.isDistributed) return
    const wanted = accounts.map(({ window, used }) => ({ window, amount: blockOf(window.limit, used) }))
    const usual = wanted.filter(({ amount }) => amount > 0)
    if (usual.length === 0) return
    const results = await takeBlocks(this.store, usual, limits.credits_block_share)
    for (const { kind, subject, used } of results) {
      const i = wanted.findIndex(({ window }) => window.kind === kind && window.subject === subject)
      const account = accounts[i] as Account
      account.used = used + account.uncounted
      account.inHand += (wanted[i] as { amount: number }).amount
    }
  }

  /** Reads windows after the running return of credits, and keeps their credits from being returned until it ends. */
  private async readWindows<T>(accounts: readonly Account[], read: () => Promise<T>): Promise<T> {
    return await keepWhileReading(accounts, async () => {
      await this.giving
      return await read()
    })
  }

  private async takeFor(lacking: readonly Account[], price: number): Promise<readonly Account[]> {
    const exhausted = await this.withoutRoom(lacking, price)
    if (lacking.length === 0 || exhausted.length > 0) return exhausted
    const takes = lacking.map((account) => ({
      window: account.window,
      need: Math.max(0, price - account.inHand),
      want: (used: number) => blockOf(account.window.limit, used),
    }))
    const results = await takeCredits(this.store, takes)
    lacking.forEach((account, i) => {
      const result = results[i] as TakeResult
      account.used = result.used + account.uncounted
      account.inHand += result.taken
    })
    return lacking.filter((_, i) => !(results[i] as TakeResult).fits)
  }

  /** Takes a block without the rows, which cannot be changed while the database is read-only. */
  private async takeUncounted(lacking: readonly Account[], price: number): Promise<readonly Account[]> {
    const exhausted = await this.withoutRoom(lacking, price)
    if (exhausted.length > 0) return exhausted
    for (const account of lacking) {
      grant(account, Math.max(price - account.inHand, blockOf(account.window.limit, account.used)))
    }
    return []
  }

  /** Checks without a lock first, so that a caller without credits costs no transaction. */
  private async withoutRoom(lacking: readonly Account[], price: number): Promise<readonly Account[]> {
    const room = await Promise.all(lacking.map((account) => this.hasRoom(account, price)))
    return lacking.filter((_, i) => !room[i])
  }

  private async hasRoom(account: Account, price: number): Promise<boolean> {
    const { limit } = account.window
    if (limit === null) return true
    account.used = (await usedOf(this.store.reader('system'), account.window)) + account.uncounted
    return account.used + price - account.inHand <= limit
  }

  /** The current windows, including the price of the caller's request. */
  async report(caller: Caller, now: number): Promise<WindowReport[]> {
    const reader = this.store.reader('system')
    return await Promise.all(
      this.open(caller, now).map(async (account) => {
        account.used = (await this.readWindows([account], () => usedOf(reader, account.window))) + account.uncounted
        const { kind, limit, endsAt } = account.window
        return { kind, limit, used: account.used - account.inHand, remaining: remainingOf(account), endsAt }
      }),
    )
  }

  /** Starts a return unless one is running: reads wait for one return only. */
  private startReturn(all: boolean): Promise<void> {
    this.giving ??= this.returnNow(all).finally(() => {
      this.giving = null
    })
    return this.giving
  }

  private async returnNow(all: boolean): Promise<void> {
    const before = performance.now() - this.idle_ms
    const rest: { account: Account; window: CreditWindow; amount: number; inHand: number; uncounted: number }[] = []
    for (const [key, account] of this.accounts) {
      if (!all && (account.readers > 0 || !this.isDue(account, before))) continue
      const { window, inHand, uncounted } = account
      if (inHand > 0 || uncounted > 0) {
        rest.push({ account, window, amount: inHand - uncounted, inHand, uncounted })
        account.used -= inHand
        account.inHand = 0
        account.uncounted = 0
      } else if (!all && account.touchedAt < before - limits.credits_forget_ms) this.accounts.delete(key)
    }
    if (performance.now() >= this.countAt) this.countAt = performance.now() + limits.credits_count_ms
    if (rest.length === 0) return
    try {
      await returnCredits(this.store, rest)
    } catch (error) {
      // The return may have been committed, so these credits are not spent again: under-using beats over-granting.
      if (error instanceof StoreUnavailable && error.uncertain) return
      for (const { account, inHand, uncounted } of rest) {
        account.used += inHand
        account.inHand += inHand
        account.uncounted += uncounted
      }
    }
  }

  /** Whether the rest of a window is returned now: it is idle, or without limit and was last counted some time ago. */
  private isDue(account: Account, idle_since: number): boolean {
    if (account.window.limit !== null) return account.touchedAt <= idle_since
    return performance.now() >= this.countAt
  }

  /** Returns all credits that this process holds. */
  async close(): Promise<void> {
    clearInterval(this.timer)
    await this.giving
    await this.startReturn(true)
  }
}

function blockOf(limit: number | null, used: number): number {
  if (limit === null) return limits.credits_block_max
  return Math.min(limits.credits_block_max, Math.floor((limit - used) / limits.credits_block_share))
}

/** The charge for a reserved price. */
function charge(accounts: readonly Account[], price: number): Charge {
  return {
    price,
    settle(cost) {
      for (const account of accounts) account.inHand += price - cost
    },
    headers: (headers, now) => windowHeaders(accounts, headers, now),
  }
}

/** Sets `X-RateLimit-*` from the window with the least remaining, and the IETF headers from all limited windows. */
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

function refuseExhausted(
  exhausted: readonly Account[],
  accounts: readonly Account[],
  price: number,
  now: number,
): Error {
  const endsAt = Math.max(...exhausted.map((account) => account.window.endsAt))
  const headers: Record<string, string> = {}
  windowHeaders(accounts, headers, now)
  const last = exhausted.find((account) => account.window.endsAt === endsAt) as Account
  const { kind, limit } = last.window
  const retryAfter = Math.max(1, Math.ceil((endsAt - now) / 1000))
  const window = kind === 'plan_day' ? "plan's UTC day" : `UTC ${kind}`
  const end = `${new Date(endsAt).toISOString().slice(0, 19)}Z`
  return refuse('rate_limit_exceeded', {
    message:
      `This request costs ${credits(price)}; ${remainingOf(last)} of ${limit} are left in the ${window}, ` +
      `which ends at ${end}, in ${retryAfter} second${retryAfter === 1 ? '' : 's'}.`,
    retryAfter,
    headers,
  })
}

function refuseReceived({ limit, endsAt }: CreditWindow, now: number): Error {
  const retryAfter = Math.max(1, Math.ceil((endsAt - now) / 1000))
  const message = `More than ${limit} requests were sent in this UTC minute. Nothing was acknowledged. Send the request again.`
  return refuse('rate_limit_exceeded', { message, retryAfter })
}

function credits(price: number): string {
  return `${price} credit${price === 1 ? '' : 's'}`
}
