/**
 * Listens for commits of other processes: each commit of events notifies a channel. It is only a hint, the log is
 * authoritative: what is notified during a lost connection is found by looking. A second channel carries broadcasts, which are
 * lost during that time.
 */
import type pg from 'pg'
import { backOff } from '../../lib/back-off.ts'
import { db_limits } from '../limits.ts'
import { type Address, closeClient, openClient } from './client.ts'

const events_channel = 'atrium_events'
export const broadcast_channel = 'atrium_broadcasts'

/** Called with every notified realm. */
export type Watchers = ReadonlySet<(realm: number) => void>

export class PostgresListener {
  private readonly address: Address
  private readonly watchers: Watchers
  private readonly broadcasts: ReadonlySet<(text: string) => void>
  private client: pg.Client | null = null
  private listening: Promise<void> | null = null
  private closed = false

  /** `address` leads to PostgreSQL itself: a pooler passes no notifications. */
  constructor(address: Address, watchers: Watchers, broadcasts: ReadonlySet<(text: string) => void> = new Set()) {
    this.watchers = watchers
    this.broadcasts = broadcasts
    // A connection that only listens is silent until something happens.
    this.address = { ...address, config: { ...address.config, query_timeout: 0 } }
  }

  /** Keeps a connection open until closed, whether or not there are watchers. */
  keep(): void {
    if (!this.closed) this.listening ??= this.listen()
  }

  /** Never rejects. */
  private async listen(): Promise<void> {
    for (let attempt = 1; !this.closed; attempt++) {
      try {
        const client = await openClient(this.address)
        this.client = client
        const lost = new Promise<void>((resolve) => void client.once('end', resolve))
        client.on('notification', ({ channel, payload }) => this.receive(channel, payload ?? ''))
        if (!this.closed) await client.query(`listen ${events_channel}; listen ${broadcast_channel}`)
        attempt = 1
        if (this.closed) await closeClient(client)
        await lost
      } catch {
        // The next attempt shows whether the failure lasts.
      }
      this.client = null
      if (!this.closed) await backOff(attempt, db_limits.transaction_pause_ms)
    }
  }

  private receive(channel: string, payload: string): void {
    if (channel === broadcast_channel) for (const listener of this.broadcasts) listener(payload)
    else for (const part of payload.split(',')) for (const watcher of this.watchers) watcher(Number(part))
  }

  async close(): Promise<void> {
    this.closed = true
    if (this.client !== null) await closeClient(this.client).catch(() => {})
    await this.listening
  }
}
