/**
 * Checkpoints: a thread of its own copies commits from the write-ahead log into the database file, so that no request
 * waits for it. Commits continue meanwhile; when few pages remain, writers wait for one last pass. It empties the log,
 * and the next commit starts it over: the log stays small however long writers continue.
 */
import { Worker } from 'node:worker_threads'
import { threadFile } from '../../lib/project-file.ts'
import { db_limits } from '../limits.ts'
import type { Checkpoint } from './connection.ts'

/** A pass's result; `null`: it failed. */
export type Pass = Checkpoint | null

export class Checkpoints {
  private readonly file: string
  private readonly frames_max: number
  private thread: Worker | null = null
  /** Whether the last pass succeeded: only then the file has everything that SQLite counts as copied. */
  private isSure = true
  /** Passes of the current checkpoint; 0: none is running. */
  private passes = 0
  /** Pages in the log after the newest commit, and when the last checkpoint ended. */
  private frames = 0
  private before = 0
  private last: PromiseWithResolvers<void> | null = null
  private ended = Promise.withResolvers<void>()

  /** A checkpoint starts when the log has grown by `frames_max` pages. */
  constructor(file: string, frames_max: number = db_limits.checkpoint_frames) {
    this.file = file
    this.frames_max = frames_max
  }

  /** The end of a last pass while it runs: no transaction may begin before it. */
  get ending(): Promise<void> | null {
    return this.last?.promise ?? null
  }

  /** Must be called after every commit with the number of pages in the log. */
  committed(frames: number): void {
    // The log started over.
    if (frames < this.frames) this.before = 0
    this.frames = frames
    // A long reader can keep the log from starting over; it then grows, and is checked as often as before.
    if (this.passes === 0 && frames - this.before >= this.frames_max) this.pass()
  }

  private pass(): void {
    this.passes++
    this.thread ??= this.start()
    this.thread.postMessage('checkpoint')
  }

  private start(): Worker {
    const thread = new Worker(threadFile('server/src/db/sqlite/checkpoint-thread.ts'), {
      workerData: this.file,
      resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 },
      // The file handles that it leaves open must stay open (`recopied-log.ts`).
      trackUnmanagedFds: false,
    })
    thread.unref()
    thread.on('message', (pass: Pass) => this.passed(pass))
    // A commit that finds that the log has grown starts another thread.
    thread.on('error', () => {})
    thread.on('exit', () => {
      if (this.thread === thread) this.thread = null
      if (this.passes > 0) this.isSure = false
      this.end()
    })
    return thread
  }

  private passed(pass: Pass): void {
    this.isSure = pass !== null
    const left = pass === null ? 0 : this.frames - pass.checkpointed
    // 0 if nothing was written meanwhile, negative if a commit has already started the log over.
    if (pass === null || this.last !== null || left <= 0) {
      this.end()
      return
    }
    if (left <= db_limits.checkpoint_last_frames || this.passes + 1 >= db_limits.checkpoint_passes_max) {
      this.last = Promise.withResolvers<void>()
    }
    this.pass()
  }

  /** Waits for the current checkpoint, if one is running. */
  async idle(): Promise<void> {
    if (this.passes > 0) await this.ended.promise
  }

  private end(): void {
    this.passes = 0
    this.before = this.frames
    this.last?.resolve()
    this.last = null
    this.ended.resolve()
    this.ended = Promise.withResolvers<void>()
  }

  /** Lets the current pass end, and the thread with it. Returns whether SQLite may copy the rest of the log. */
  async close(): Promise<boolean> {
    const { thread } = this
    if (thread === null) return this.isSure
    const ended = new Promise((resolve) => thread.once('exit', resolve))
    thread.ref()
    thread.postMessage('close')
    await ended
    return this.isSure
  }
}
