/**
 * The journal of an import: its requests and their outcomes. Invariants: a request is stored before it is sent, and its
 * outcome is stored before the next request. After an interruption anywhere, the outcome of at most one request is
 * unknown. Where the lines are stored is up to the program: a file, or the browser's database.
 */
import type { Note } from './draft.ts'

/** Identifies an import: the journal of another one is refused. */
export interface Identity {
  /** Part of every task that the import creates, and of its idempotency keys. */
  readonly id: string
  readonly source: string
  readonly organization: string
  readonly mode: string
  readonly workspace: string
  readonly project: string | null
  readonly file_sha256: string
  readonly options_sha256: string
  /** Name of the system that the keys of rows belong to; absent in journals of earlier versions. */
  readonly external_source?: string
}

export interface Step {
  /** Unique within the import. */
  readonly name: string
  /** Milliseconds. */
  readonly at: number
  readonly path: string
  readonly body: object
  readonly idempotency_key: string
  /** Of a batch: the keys of its tasks, in order. */
  readonly rows?: readonly string[]
}

export type Line =
  | { readonly import: Identity }
  | { readonly begin: Step }
  | { readonly end: string; readonly ids: readonly string[] }
  | { readonly dropped: string }
  | { readonly refused: Note; readonly name: string }
  | { readonly finished: true }

/** Stores a line; it is stored when this returns or resolves. */
export type Append = (line: Line) => void | Promise<void>

export class Journal {
  readonly identity: Identity
  /** The request whose outcome is not known. */
  pending: Step | null = null
  finished = false
  /** What the server refused, by step or row. */
  readonly refused = new Map<string, Note>()
  private readonly ids = new Map<string, string>()
  private readonly versions = new Map<string, string>()
  /** Keys of a source without keys are counted, so that a file of any length needs no memory. */
  private readonly counted: boolean
  private mark = 0
  private lastBatch = new Set<string>()
  private readonly append: Append

  constructor(identity: Identity, counted: boolean, append: Append) {
    this.identity = identity
    this.counted = counted
    this.append = append
  }

  /** The id that a step or row created; undefined if it is not done, null if it is done and its id was not kept. */
  made(name: string): string | null | undefined {
    const id = this.ids.get(name)
    if (id !== undefined || !this.counted || !name.startsWith('row:')) return id
    return ordinalOf(name) <= this.mark ? null : undefined
  }

  /** Whether a row differs from the imported one; false if the imported version is unknown. */
  hasChanged(name: string, version: string | undefined): boolean {
    const known = this.versions.get(name)
    return known !== undefined && version !== undefined && known !== version
  }

  /** Whether a step in memory created this object. */
  knows(id: string): boolean {
    return [...this.ids.values()].includes(id)
  }

  /** Writes that the step is about to be sent. */
  async begin(step: Step): Promise<void> {
    await this.append({ begin: step })
    this.pending = step
    this.finished = false
  }

  async end(ids: readonly string[]): Promise<void> {
    const step = this.pending as Step
    await this.append({ end: step.name, ids })
    this.keep(step, ids)
  }

  /** The step did nothing: the server refused it. */
  async drop(): Promise<void> {
    await this.append({ dropped: (this.pending as Step).name })
    this.pending = null
  }

  async refuse(name: string, note: Note): Promise<void> {
    await this.append({ refused: note, name })
    this.refused.set(name, note)
  }

  /** Everything is done: a repeated command does nothing. */
  async finish(): Promise<void> {
    if (!this.finished) await this.append({ finished: true })
    this.finished = true
  }

  /** Takes in a line that was stored before. */
  take(line: Line): void {
    if ('import' in line) return
    if ('begin' in line) {
      this.pending = line.begin
      this.finished = false
    } else if ('finished' in line) this.finished = true
    else if ('refused' in line) this.refused.set(line.name, line.refused)
    else if ('dropped' in line) this.pending = null
    else if (this.pending?.name === line.end) this.keep(this.pending, line.ids)
  }

  private keep(step: Step, ids: readonly string[]): void {
    this.pending = null
    if (step.rows === undefined) {
      this.ids.set(step.name, ids[0] as string)
      return
    }
    if (this.counted) for (const name of this.lastBatch) this.ids.delete(name)
    if (this.counted) for (const name of this.ids.keys()) if (name.startsWith('comment:')) this.ids.delete(name)
    this.lastBatch = new Set(step.rows.map((key) => `row:${key}`))
    for (const [i, key] of step.rows.entries()) {
      this.ids.set(`row:${key}`, ids[i] as string)
      const { version } = rowsOf(step)[i] ?? {}
      if (!this.counted && version !== undefined) this.versions.set(`row:${key}`, version)
      if (this.counted) this.mark = Math.max(this.mark, ordinalOf(`row:${key}`))
    }
  }
}

/** The rows of a batch as they were sent. */
const rowsOf = ({ body }: Step): readonly { readonly version?: string }[] =>
  (body as { data?: readonly { version?: string }[] }).data ?? []

const ordinalOf = (name: string): number => Number(name.slice('row:r'.length))
