/** The verdicts that are kept: a file a row, one JSON line a verdict, the newest last, with when and where. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { cpus, release, tmpdir, totalmem, type } from 'node:os'
import { join } from 'node:path'
import type { Verdict } from './try.ts'

const folder = join(import.meta.dirname, 'results')

/** Of what was found a little is kept. */
const found_max = 3
const found_chars_max = 300

export interface Kept extends Verdict {
  readonly date: string
  readonly machine: string
  readonly node: string
  readonly version: string
}

export function keep(verdict: Verdict): void {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))
  const [cpu] = cpus()
  const gib = Math.round(totalmem() / 2 ** 30)
  const machine = `${type()} ${release().split('-')[0]}, ${cpus().length} × ${cpu?.model.trim() || process.arch}, ${gib} GiB`
  const found = verdict.found
    ?.slice(0, found_max)
    .map((text) => text.replaceAll(tmpdir(), '…').slice(0, found_chars_max))
  const kept: Kept = {
    ...verdict,
    ...(found === undefined ? {} : { found }),
    date: new Date().toISOString().slice(0, 10),
    machine,
    node: process.version,
    version,
  }
  mkdirSync(folder, { recursive: true })
  appendFileSync(join(folder, `${verdict.row}.jsonl`), `${JSON.stringify(kept)}\n`)
}

export function keptOf(row: string): Kept[] {
  const path = join(folder, `${row}.jsonl`)
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Kept)
}
