/**
 * The journal of an import: its requests and their outcomes. Invariants: a request is on disk before it is sent, and its
 * outcome is on disk before the next request. After an interruption anywhere, the outcome of at most one request is
 * unknown. An incomplete last line is ignored.
 */
import { closeSync, createReadStream, existsSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Failure } from '../command.ts'
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

type Line =
  | { readonly import: Identity }
  | { readonly begin: Step }
  | { readonly end: string; readonly ids: readonly string[] }
  | { readonly dropped: string }
  | { readonly refused: Note; readonly name: string }
  | { readonly finished: true }

export class Journal {
  readonly path: string
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
  private file: number | null = null

  constructor(path: string, identity: Identity, counted: boolean) {
    this.path = path
    this.identity = identity
    this.counted = counted
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
  begin(step: Step): void {
    this.append({ begin: step })
    this.pending = step
    this.finished = false
  }

  end(ids: readonly string[]): void {
    const step = this.pending as Step
    this.append({ end: step.name, ids })
    this.keep(step, ids)
  }

  /** The step did nothing: the server refused it. */
  drop(): void {
    this.append({ dropped: (this.pending as Step).name })
    this.pending = null
  }

  refuse(name: string, note: Note): void {
    this.append({ refused: note, name })
    this.refused.set(name, note)
  }

  /** Everything is done: a repeated command does nothing. */
  finish(): void {
    if (!this.finished) this.append({ finished: true })
    this.finished = true
  }

  /** Takes in one line; false if it is not a line of a journal. */
  take(text: string): boolean {
    const line = parsed(text)
    if (line === null || 'import' in line) return line !== null
    if ('begin' in line) {
      this.pending = line.begin
      this.finished = false
    } else if ('finished' in line) this.finished = true
    else if ('refused' in line) this.refused.set(line.name, line.refused)
    else if ('dropped' in line) this.pending = null
    else if (this.pending?.name === line.end) this.keep(this.pending, line.ids)
    return true
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

  /** Opens the journal for writing. `size`: the bytes of complete lines that it has. */
  open(size: number): void {
    try {
      this.file = openSync(this.path, size === 0 ? 'w' : 'r+', 0o600)
      ftruncateSync(this.file, size)
    } catch (error) {
      throw new Failure(`The journal cannot be written: ${(error as Error).message}. Name another file with --state.`)
    }
    this.position = size
    if (size === 0) this.append({ import: this.identity })
  }

  private position = 0

  private append(line: Line): void {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`)
    const file = this.file as number
    for (let done = 0; done < bytes.length; )
      done += writeSync(file, bytes, done, bytes.length - done, this.position + done)
    this.position += bytes.length
    fsyncSync(file)
  }

  close(): void {
    if (this.file !== null) closeSync(this.file)
    this.file = null
  }
}

/** The rows of a batch as they were sent. */
const rowsOf = ({ body }: Step): readonly { readonly version?: string }[] =>
  (body as { data?: readonly { version?: string }[] }).data ?? []

const ordinalOf = (name: string): number => Number(name.slice('row:r'.length))

function parsed(text: string): Line | null {
  try {
    const line = JSON.parse(text) as Line
    return typeof line === 'object' && line !== null ? line : null
  } catch {
    return null
  }
}

/** The identity at the start of a journal; null if the file does not exist. */
export async function identityIn(path: string): Promise<Identity | null> {
  if (!existsSync(path)) return null
  const lines = createInterface({ input: createReadStream(path) })
  for await (const text of lines) {
    lines.close()
    const line = parsed(text)
    if (line === null || !('import' in line))
      throw new Failure(`${path} is not the journal of an import. Name another file with --state.`)
    return line.import
  }
  return null
}

/** Reads a journal into memory. Returns the bytes of its complete lines. */
export async function replay(journal: Journal): Promise<number> {
  if (!existsSync(journal.path)) return 0
  let size = 0
  let broken = 0
  let number = 0
  let rest = Buffer.alloc(0)
  for await (const chunk of createReadStream(journal.path)) {
    const bytes = Buffer.concat([rest, chunk as Buffer])
    let from = 0
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      number++
      if (broken > 0) throw new Failure(`${journal.path} is damaged at line ${broken}.`)
      if (!journal.take(bytes.toString('utf8', from, end))) broken = number
      else size += end + 1 - from
      from = end + 1
    }
    rest = bytes.subarray(from)
  }
  return size
}
