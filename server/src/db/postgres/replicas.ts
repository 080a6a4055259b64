/**
 * Reads that a replica may answer. Each turn of reads asks the primary for its position once; the reads go to the ready
 * replicas in turn, and to the primary if none is ready or the chosen one cannot answer.
 */
import type { ReplicaStatus } from '../store.ts'
import type { Address } from './client.ts'
import { type Position, readPosition } from './position.ts'
import type { ReadRows } from './reads.ts'
import { Replica } from './replica.ts'
import { PostgresSession } from './session.ts'

export class Replicas {
  private readonly replicas: readonly Replica[]
  private readonly positions: PostgresSession
  private readonly primary: ReadRows
  private readonly ask: () => Promise<Position>
  private next = 0

  /** `primary` reads from the primary at `address`. */
  constructor(urls: readonly string[], address: Address, primary: ReadRows) {
    this.primary = primary
    this.positions = new PostgresSession(address)
    this.ask = async () => (await this.positions.rows('system', readPosition, {}))[0] as Position
    this.replicas = urls.map((url) => new Replica(url, this.ask))
  }

  /** A ready replica, each in turn. */
  pick(): Replica | null {
    const ready = this.replicas.filter(({ isReady }) => isReady)
    return ready[this.next++ % ready.length] ?? null
  }

  /** Called when the reads of a turn are sent: what it returns reads them. */
  begin(): ReadRows {
    const replica = this.pick()
    if (replica === null) return this.primary
    const wanted = this.ask()
    wanted.catch(() => {})
    return async (visible, query, values) => {
      const rows = replica.isReady ? await replica.rows(visible, query, values, wanted) : null
      return rows ?? (await this.primary(visible, query, values))
    }
  }

  async status(): Promise<ReplicaStatus[]> {
    return await Promise.all(this.replicas.map((replica) => replica.status()))
  }

  async close(): Promise<void> {
    await Promise.all([...this.replicas.map((replica) => replica.close()), this.positions.close()])
  }
}
