/**
 * What the workers of mail and of browser notices share: rows that are sent to other systems. A row is claimed by a lease, sent
 * outside of any transaction, and its outcome recorded. Failures are retried with growing waits; what is refused for good, or fails
 * too often, is dead, which operators see. If a process ends while it sends, it is unknown if the row was sent: it is sent again, as
 * often as its queue allows.
 */
import type { Services } from '../api/services.ts'
import { type Builder, type Placeholder, query } from '../db/query.ts'
import type { SendingRow } from '../db/schema.ts'
import type { Tx } from '../db/store.ts'
import { onePerProcess } from './leased-queue.ts'
import { newLeaseOwner } from './leases.ts'

export type Attempt =
  | { readonly outcome: 'sent' }
  /** There is nothing to say any longer. */
  | { readonly outcome: 'dropped' }
  /** `permanent`: the same will be refused again. `wait_ms`: what the receiver asked for. */
  | {
      readonly outcome: 'failed'
      readonly error: string
      readonly permanent: boolean
      readonly wait_ms?: number | null
    }

interface Queue<Row extends SendingRow> {
  readonly table: 'mails' | 'pushes'
  /** What a row is called in the log. */
  readonly noun: 'mail' | 'push'
  readonly lease_ms: number
  readonly attempts_max: number
  /** How often a row is sent again because its process ended while it sent it. */
  readonly repeats_max: number
  /** Waits after failures: the first, by what it grows, and the longest. */
  readonly first_wait_ms: number
  readonly wait_factor: number
  readonly wait_max_ms: number
  /** Sends a claimed row. */
  attempt(services: Services, row: Row): Promise<Attempt>
  /** Removes what the row holds when it is over. */
  forget?(tx: Tx, row: Row): void
}

type Claim = {
  realm: number
  id: string
  owner: string
  until: number
  now: number
  seen: string
  seen_until: number
  uncertain: number
}

type Settle = {
  realm: number
  id: string
  owner: string
  status: string
  due_at: number
  error: string | null
  now: number
}

const leaseOwner = onePerProcess(({ store }: Services) => ({ name: newLeaseOwner(store) }))

export class SendQueue<Row extends SendingRow> {
  readonly #queue: Queue<Row>
  readonly #queries: ReturnType<typeof queriesOf>

  constructor(queue: Queue<Row>) {
    this.#queue = queue
    this.#queries = queriesOf(queue.table)
  }

  /** Sends what is due, at most `count` rows. Returns their number. */
  async run(services: Services, count: number): Promise<number> {
    const reader = services.store.reader('system')
    const now = services.clock.now()
    const { abandoned, due } = this.#queries
    const found = [...(await reader.all(abandoned, { now, count })), ...(await reader.all(due, { now, count }))]
    // The queries select all columns of the queue's table, whose rows are of this type.
    const rows = found.slice(0, count) as Row[]
    await Promise.all(rows.map((row) => this.#work(services, row)))
    return rows.length
  }

  async #work(services: Services, row: Row): Promise<void> {
    const uncertain = row.uncertain + (row.status === 'sending' ? 1 : 0)
    if (!(await this.#claim(services, row, uncertain))) return
    const { repeats_max, noun } = this.#queue
    const error = `its process ended ${uncertain} times while it sent this ${noun}`
    const abandoned: Attempt = { outcome: 'failed', error, permanent: true }
    await this.#record(services, row, uncertain > repeats_max ? abandoned : await this.#queue.attempt(services, row))
  }

  async #claim(services: Services, row: Row, uncertain: number): Promise<boolean> {
    const { realm, id, organization, status } = row
    const now = services.clock.now()
    const lease = { owner: leaseOwner(services).name, until: now + this.#queue.lease_ms, now }
    const taken = await services.store.write({ organization, realms: [realm] }, async (tx) =>
      tx.run(this.#queries.claim, { realm, id, ...lease, seen: status, seen_until: now, uncertain }),
    )
    return taken > 0
  }

  /** Records the outcome of an attempt: over, dead, or due again after a wait that grows with each attempt. */
  async #record(services: Services, row: Row, attempt: Attempt): Promise<void> {
    if (attempt.outcome !== 'failed')
      return await this.#end(services, row, { status: attempt.outcome, due_at: row.due_at, error: null })
    const { attempts_max, first_wait_ms, wait_factor, wait_max_ms, noun } = this.#queue
    const attempts = row.attempts + 1
    const isDead = attempt.permanent || attempts >= attempts_max
    const own_ms = first_wait_ms * wait_factor ** (attempts - 1)
    const due_at = services.clock.now() + Math.min(wait_max_ms, Math.max(own_ms, attempt.wait_ms ?? 0))
    const { error } = attempt
    await this.#end(services, row, { status: isDead ? 'dead' : 'due', due_at, error })
    if (isDead) services.log.error(`a ${noun} could not be sent`, { realm: row.realm, [noun]: row.id, error })
  }

  async #end(services: Services, row: Row, outcome: Pick<SendingRow, 'status' | 'due_at' | 'error'>): Promise<void> {
    const { realm, id, organization } = row
    const values = { realm, id, ...outcome, owner: leaseOwner(services).name, now: services.clock.now() }
    await services.store.write({ organization, realms: [realm] }, async (tx) => {
      const settled = await tx.run(this.#queries.settle, values)
      if (settled > 0 && (outcome.status === 'sent' || outcome.status === 'dropped')) this.#queue.forget?.(tx, row)
    })
  }
}

/** The queries of a table. Both tables have the columns of `SendingRow`, which is all that the queries name. */
function queriesOf(table: 'mails' | 'pushes') {
  const from = (db: Builder) => db.selectFrom(table as 'mails').selectAll()
  return {
    due: query<SendingRow, { now: number; count: number }>((db, p) =>
      from(db).where('status', '=', 'due').where('due_at', '<=', p('now')).orderBy('due_at').limit(p('count')),
    ),
    /** Rows whose lease has expired: their process has ended, or hangs. */
    abandoned: query<SendingRow, { now: number; count: number }>((db, p) =>
      from(db)
        .where('status', '=', 'sending')
        .where('lease_until', '<=', p('now'))
        .orderBy('lease_until')
        .limit(p('count')),
    ),
    claim: query((db, p: Placeholder<Claim>) =>
      db
        .updateTable(table as 'mails')
        .set((eb) => ({
          status: 'sending',
          lease_owner: p('owner'),
          lease_until: p('until'),
          attempts: eb('attempts', '+', 1),
          uncertain: p('uncertain'),
          updated: p('now'),
        }))
        .where('realm', '=', p('realm'))
        .where('id', '=', p('id'))
        .where('status', '=', p('seen'))
        .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', p('seen_until'))])),
    ),
    settle: query((db, p: Placeholder<Settle>) =>
      db
        .updateTable(table as 'mails')
        .set({
          status: p('status'),
          due_at: p('due_at'),
          error: p('error'),
          updated: p('now'),
          lease_owner: null,
          lease_until: null,
        })
        .where('realm', '=', p('realm'))
        .where('id', '=', p('id'))
        .where('lease_owner', '=', p('owner')),
    ),
  }
}
