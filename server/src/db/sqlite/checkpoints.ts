/**
 * Checkpoints: what commits left in the write-ahead log is copied into the database file by a thread of its own, so that
 * no request waits for it. Commits go on meanwhile and leave more; when little is left, writers wait for one last pass.
 * With that the log is at its end, and the next commit begins it anew: it stays small however long writers go on.
 */
import { Worker } from 'node:worker_threads'
import { projectFile } from '../../lib/project-file.ts'
import { db_limits } from '../limits.ts'
import type { Checkpoint } from './connection.ts'

/** What the thread says of a pass; `null`: it failed. */
export type Pass = Checkpoint | null

export class Checkpoints {
  private readonly file: string
  private readonly frames_max: number
  private thread: Worker | null = null
  /** Whether the last pass has succeeded: only then the file has all that SQLite takes for copied. */
  private isSure = true
  /** Passes of the checkpoint under way; 0: none is. */
  private passes = 0
  /** Pages in the log after the newest commit, and when the last checkpoint ended. */
  private frames = 0
  private before = 0
  private last: PromiseWithResolvers<void> | null = null
  private ended = Promise.withResolvers<void>()

  /** A checkpoint begins when the log has grown by so many pages. */
  constructor(file: string, frames_max: number = db_limits.checkpoint_frames) {
    this.file = file
    this.frames_max = frames_max
  }

  /** The end of a last pass, while there is one: no transaction may begin before it. */
  get ending(): Promise<void> | null {
    return this.last?.promise ?? null
  }

  /** Must be told of every commit and of the pages that are in the log then. */
  committed(frames: number): void {
    // The log began anew.
    if (frames < this.frames) this.before = 0
    this.frames = frames
    // A reader that stays can keep the log from that; then it goes on growing, and is looked at as often as before.
    if (this.passes === 0 && frames - this.before >= this.frames_max) this.pass()
  }

  private pass(): void {
    this.passes++
    this.thread ??= this.start()
    this.thread.postMessage('checkpoint')
  }

  private start(): Worker {
    const thread = new Worker(projectFile('server/src/db/sqlite/checkpoint-thread.ts'), {
      workerData: this.file,
      resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 },
      // What it leaves open must stay so (`recopied-log.ts`).
      trackUnmanagedFds: false,
    })
    thread.unref()
    thread.on('message', (pass: Pass) => this.passed(pass))
    // A commit that finds the log grown on starts another thread.
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
    // Nothing is left where nobody wrote meanwhile, and less than nothing where a commit has begun the log anew already.
    if (pass === null || this.last !== null || left <= 0) {
      this.end()
      return
    }
    if (left <= db_limits.checkpoint_last_frames || this.passes + 1 >= db_limits.checkpoint_passes_max) {
      this.last = Promise.withResolvers<void>()
    }
    this.pass()
  }

  /** The end of the checkpoint under way, if one is. */
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

  /** Lets the pass under way end, and the thread with it. Returns whether SQLite may copy what is left of the log. */
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
