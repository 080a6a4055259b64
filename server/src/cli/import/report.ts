/** The report of rows and values that were not imported unchanged: CSV, or JSON for a name that ends in .json. */
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import type { Note } from '../../imports/draft.ts'
import { csvLine } from '../api/output.ts'
import { Failure } from '../command.ts'
import { cli_limits } from '../limits.ts'

const columns = ['line', 'column', 'key', 'action', 'reason'] as const

export class Report {
  readonly counts = { refused: 0, left_out: 0, cut: 0, changed: 0 }
  /** The first of them, for the terminal. */
  readonly first: Note[] = []
  readonly path: string | null
  private readonly json: boolean
  private file: number | null = null
  private rows = new Set<string>()

  /** Null: nothing is written. An existing file is replaced. */
  constructor(path: string | null) {
    this.path = path
    this.json = path?.toLowerCase().endsWith('.json') ?? false
    if (path !== null) rmSync(path, { force: true })
  }

  add(note: Note): void {
    this.counts[note.action] += note.action === 'refused' && this.again(note) ? 0 : 1
    if (this.first.length < cli_limits.import_refusals_shown_max) this.first.push(note)
    if (this.path === null) return
    const begins = this.file === null
    this.file ??= this.open(this.path)
    const row = { line: note.line, column: note.column, key: note.key, action: note.action, reason: note.reason }
    if (this.json) this.write(`${begins ? '[' : ','}\n${JSON.stringify(row)}`)
    else this.write((begins ? csvLine(columns) : '') + csvLine(columns.map((name) => row[name])))
  }

  /** A row with several faults is one row. */
  private again({ line }: Note): boolean {
    const known = this.rows.has(String(line))
    if (!known) this.rows = new Set([String(line)])
    return known
  }

  /** The file, when there is one. */
  close(): string | null {
    if (this.file === null) return null
    if (this.json) this.write('\n]\n')
    closeSync(this.file)
    this.file = null
    return this.path
  }

  private open(path: string): number {
    try {
      return openSync(path, 'w', 0o600)
    } catch (error) {
      throw new Failure(`The report cannot be written: ${(error as Error).message}.`)
    }
  }

  private write(text: string): void {
    writeSync(this.file as number, text)
  }
}
