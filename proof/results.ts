/** The recorded verdicts: one file per row, one JSON line per verdict with date and machine, newest last. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { cpus, release, tmpdir, totalmem, type } from 'node:os'
import { join } from 'node:path'
import type { Verdict } from './try.ts'

const folder = join(import.meta.dirname, 'results')

/** Records keep only the beginning of what was found. */
const found_max = 3
const found_chars_max = 300

export interface Recorded extends Verdict {
  readonly date: string
  readonly machine: string
  readonly node: string
  readonly version: string
}

export function record(verdict: Verdict): void {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))
  const [cpu] = cpus()
  const gib = Math.round(totalmem() / 2 ** 30)
  const machine = `${type()} ${release().split('-')[0]}, ${cpus().length} × ${cpu?.model.trim() || process.arch}, ${gib} GiB`
  const found = verdict.found
    ?.slice(0, found_max)
    .map((text) => text.replaceAll(tmpdir(), '…').slice(0, found_chars_max))
  const recorded: Recorded = {
    ...verdict,
    ...(found === undefined ? {} : { found }),
    date: new Date().toISOString().slice(0, 10),
    machine,
    node: process.version,
    version,
  }
  mkdirSync(folder, { recursive: true })
  appendFileSync(join(folder, `${verdict.row}.jsonl`), `${JSON.stringify(recorded)}\n`)
}

export function recordedOf(row: string): Recorded[] {
  const path = join(folder, `${row}.jsonl`)
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Recorded)
}
