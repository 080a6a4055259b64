/**
 * A thread of its own writes SQLite's request log: its commits wait for the disk like all others, and no request waits
 * for them. The thread starts with the first write; if it has ended, the next write starts another.
 */
import { Worker } from 'node:worker_threads'
import { threadFile } from '../../../lib/project-file.ts'
import { db_limits } from '../../limits.ts'
import { type Bound, StoreUnavailable } from '../../store.ts'
import type { LogReply, LogRequest, LogStatement } from './writes.ts'

export class LogWriter {
  private readonly file: string
  private thread: Worker | null = null
  private readonly waiting = new Map<number, PromiseWithResolvers<number>>()
  private next = 0
  /** Whether the log's file has everything that SQLite counts as copied. */
  private isSure = true

  /** `file`: the database's file; the log's is beside it. */
  constructor(file: string) {
    this.file = file
  }

  /**
   * Resolves with the number of rows that the last statement changed, once all statements are on disk in one
   * transaction.
   */
  write(statements: readonly Bound[]): Promise<number> {
    if (this.waiting.size >= db_limits.waiting_writes_max)
      return Promise.reject(new StoreUnavailable('too many writes of the request log wait'))
    const written = Promise.withResolvers<number>()
    const number = this.next++
    this.waiting.set(number, written)
    this.thread ??= this.start()
    // The process does not end while a caller waits for an answer.
    this.thread.ref()
    this.ask(this.thread, { number, statements: statements.map(asText) })
    return written.promise
  }

  private ask(thread: Worker, request: LogRequest): void {
    thread.postMessage(request)
  }

  private start(): Worker {
    const thread = new Worker(threadFile('server/src/db/sqlite/log/log-thread.ts'), {
      workerData: this.file,
      resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 },
      // The file handles that it leaves open must stay open (`recopied-log.ts`).
      trackUnmanagedFds: false,
    })
    thread.on('message', (reply: LogReply) => this.receive(thread, reply))
    // Waiting callers are rejected by the exit that follows.
    thread.on('error', () => {})
    thread.on('exit', () => {
      if (this.thread === thread) {
        this.thread = null
        this.isSure = false
      }
      for (const { reject } of this.waiting.values()) {
        reject(new StoreUnavailable('the thread of the request log has ended', undefined, true))
      }
      this.waiting.clear()
    })
    return thread
  }

  private receive(thread: Worker, { number, outcome, isSure }: LogReply): void {
    this.isSure = isSure
    const written = this.waiting.get(number)
    this.waiting.delete(number)
    if (this.waiting.size === 0) thread.unref()
    if ('changed' in outcome) written?.resolve(outcome.changed)
    else written?.reject(outcome.passes ? new StoreUnavailable(outcome.message) : new Error(outcome.message))
  }

  /** Lets queued writes end, and the thread with them. Returns whether SQLite may copy the rest of the log. */
  async close(): Promise<boolean> {
    const { thread } = this
    if (thread === null) return this.isSure
    this.thread = null
    const ended = new Promise((resolve) => thread.once('exit', resolve))
    thread.ref()
    this.ask(thread, 'close')
    await ended
    return this.isSure
  }
}

function asText({ query, values }: Bound): LogStatement {
  const { sql, bind } = query.statement('sqlite')
  return { text: sql, values: bind(values) }
}
