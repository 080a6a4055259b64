/** Receives a server's write-ahead log as bytes without a gap. The server sends only what is on its disk. */
import { db_limits } from '../../limits.ts'
import { StoreUnavailable } from '../../store.ts'
import { ReplicationConnection } from './connection.ts'
import { showPosition } from './positions.ts'

/** Milliseconds from 1970 to 2000, where PostgreSQL's clock begins. */
const epoch_ms = 946_684_800_000
const log_data = 0x77 // w
const keepalive = 0x6b // k
const log_data_head = 25
const status_bytes = 34

/** Bytes that follow each other, and the moment on the server's clock by which their commits were made. */
export interface LogPiece {
  readonly from: number
  readonly bytes: Buffer
  /** Milliseconds. */
  readonly at: number
}

export class LogStream {
  private readonly connection: ReplicationConnection
  /** Received and not taken. */
  private waiting: { readonly bytes: Buffer; readonly at: number }[] = []
  private waitingBytes = 0
  private isPaused = false
  private from: number
  private received: number
  private confirmed: number
  private failure: Error | null = null
  private wake: () => void = () => {}
  private readonly timer: NodeJS.Timeout

  private constructor(connection: ReplicationConnection, from: number) {
    this.connection = connection
    this.from = from
    this.received = from
    this.confirmed = from
    // A server that sends nothing, and one whose messages wait, must hear that this end is alive.
    this.timer = setInterval(() => this.tell(), db_limits.follow_answer_ms)
    this.timer.unref()
  }

  /** Begins at a position of a timeline. `slot` keeps the log behind the confirmed position. Rejects if the server refuses. */
  static async open(url: string, slot: string, from: number, timeline: number): Promise<LogStream> {
    const stream = new LogStream(await ReplicationConnection.open(url), from)
    const { connection } = stream
    const command = `START_REPLICATION SLOT ${slot} PHYSICAL ${showPosition(from)} TIMELINE ${timeline}`
    const started = connection.started()
    const copied = connection.copy(command, (message) => stream.take(message))
    copied.then(
      () => stream.fail(new StoreUnavailable('the server has ended its timeline')),
      (error: Error) => stream.fail(error),
    )
    try {
      await Promise.race([started, copied])
      return stream
    } catch (error) {
      stream.close()
      throw error
    }
  }

  /** Resolves when everything before `position` was received. Rejects if the connection is lost, or nothing comes for long. */
  async reach(position: number): Promise<void> {
    let seen = this.received
    while (this.received < position && !this.isPaused) {
      if (this.failure !== null) throw this.failure
      const silent = Symbol('silent')
      const waited = Promise.withResolvers<symbol | null>()
      this.wake = () => waited.resolve(null)
      const timer = setTimeout(() => waited.resolve(silent), db_limits.database_wait_ms)
      const result = await waited.promise
      clearTimeout(timer)
      if (result === silent && this.received === seen) throw new StoreUnavailable('the server sends nothing of its log')
      seen = this.received
    }
    if (this.failure !== null) throw this.failure
  }

  /** At most `count` of the bytes received; null without one. */
  next(count: number): LogPiece | null {
    const { from } = this
    const taken: Buffer[] = []
    let [size, at] = [0, 0]
    while (size < count) {
      const first = this.waiting.shift()
      if (first === undefined) break
      const bytes = first.bytes.subarray(0, count - size)
      if (bytes.length < first.bytes.length)
        this.waiting.unshift({ bytes: first.bytes.subarray(bytes.length), at: first.at })
      taken.push(bytes)
      size += bytes.length
      at = first.at
    }
    if (size === 0) return null
    this.from += size
    this.waitingBytes -= size
    if (this.isPaused && this.waitingBytes < db_limits.follow_waiting_bytes_max / 2) {
      this.isPaused = false
      this.connection.resume()
    }
    return { from, bytes: Buffer.concat(taken), at }
  }

  /** The server may remove what lies before this position. */
  confirm(position: number): void {
    this.confirmed = Math.max(this.confirmed, position)
    this.tell()
  }

  close(): void {
    clearInterval(this.timer)
    this.failure ??= new StoreUnavailable('the connection was closed')
    this.connection.close()
    this.wake()
  }

  private take(message: Buffer): void {
    if (message[0] === keepalive) {
      if (message[17] === 1) this.tell()
      return
    }
    if (message[0] !== log_data) return
    const start = Number(message.readBigUInt64BE(1))
    const at = Math.ceil(Number(message.readBigInt64BE(17)) / 1000) + epoch_ms
    const bytes = message.subarray(log_data_head)
    if (start !== this.received) {
      this.fail(new StoreUnavailable(`the server sent ${showPosition(start)} after ${showPosition(this.received)}`))
      return
    }
    this.received += bytes.length
    this.waiting.push({ bytes, at })
    this.waitingBytes += bytes.length
    if (!this.isPaused && this.waitingBytes >= db_limits.follow_waiting_bytes_max) {
      this.isPaused = true
      this.connection.pause()
    }
    this.wake()
  }

  private fail(error: Error): void {
    this.failure ??= error
    this.wake()
  }

  private tell(): void {
    const message = Buffer.alloc(status_bytes)
    message.write('r')
    message.writeBigUInt64BE(BigInt(this.confirmed), 1)
    message.writeBigUInt64BE(BigInt(this.confirmed), 9)
    this.connection.send(message)
  }
}
