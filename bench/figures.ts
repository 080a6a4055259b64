/** Figures with their goals: the table, the file and the exit code. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describeMachine, others_max, versions } from './machine.ts'

export interface Figure {
  readonly name: string
  readonly value: number
  /** Of the value: `ms`, `tasks/s`, `MiB`, `of the floor`. */
  readonly unit: string
  readonly goal?: Goal
  /** Why it cannot be decided here whether the goal is met. */
  readonly unsure?: string
  /** Other processes do not affect it, as with memory. */
  readonly steady?: true
  /** Cores that other processes used during this measurement; if left out, those of the whole run count. */
  readonly others?: number
  /** Shown below the table: a query plan, what was counted. */
  readonly note?: string
}

export type Goal = { readonly at_least: number } | { readonly at_most: number } | { readonly above: number }
export type Verdict = 'met' | 'MISSED' | 'unsure' | ''

export interface Outcome {
  /** Names the file: `lists`, `floors`. */
  readonly name: string
  readonly figures: readonly Figure[]
  /** Cores that other processes used. */
  readonly others: number
  /** The options of the run. */
  readonly options: Readonly<Record<string, unknown>>
  /** All raw measurements. */
  readonly more?: object
}

/** 0: all goals met. 1: a goal missed. 2: nothing could be measured. 3: undecided on this machine. */
export type ExitCode = 0 | 1 | 2 | 3

/** Whether a figure meets its goal. Disturbed figures are not judged unless steady. `others`: of the whole run. */
export function verdict(figure: Figure, others: number): Verdict {
  const { goal, value } = figure
  if (goal === undefined) return ''
  if (Number.isNaN(value)) return 'MISSED'
  if (figure.unsure !== undefined || isDisturbed(figure, others)) return 'unsure'
  if ('at_least' in goal) return value >= goal.at_least ? 'met' : 'MISSED'
  if ('above' in goal) return value > goal.above ? 'met' : 'MISSED'
  return value <= goal.at_most ? 'met' : 'MISSED'
}

function isDisturbed(figure: Figure, others: number): boolean {
  return figure.steady === undefined && (figure.others ?? others) > others_max
}

export function exitCodeOf({ figures, others }: Outcome): ExitCode {
  const verdicts = figures.map((figure) => verdict(figure, others))
  if (verdicts.includes('MISSED')) return 1
  return verdicts.includes('unsure') ? 3 : 0
}

/** The table of figures, and the warnings about them. */
export function figureTable({ figures, others }: Outcome): string {
  const rows = figures.map((figure) => [
    figure.name,
    amount(figure.value),
    figure.unit,
    goalText(figure.goal),
    verdict(figure, others),
  ])
  const lines = aligned(['figure', '', '', 'goal', ''], rows, [1])
  for (const { name, unsure, note } of figures) {
    if (unsure !== undefined) lines.push(`unsure: ${name}: ${unsure}`)
    if (note !== undefined) lines.push(`${name}: ${note}`)
  }
  const disturbed = figures.some((figure) => isDisturbed(figure, others))
  if (disturbed) {
    lines.push(
      `unsure: other processes used ${others.toFixed(2)} cores (limit ${others_max}), so disturbed figures are not judged`,
    )
  }
  return lines.join('\n')
}

/** The lines of a table; columns in `numeric` are right-aligned. */
export function aligned(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  numeric: readonly number[],
): string[] {
  const widths = head.map((name, i) => Math.max(name.length, ...rows.map((row) => (row[i] ?? '').length)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => (numeric.includes(i) ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd()
  return [line(head), ...rows.map(line)]
}

export function amount(value: number): string {
  if (Math.abs(value) >= 1000) return value.toFixed(0)
  return Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2)
}

function goalText(goal: Goal | undefined): string {
  if (goal === undefined) return ''
  if ('at_least' in goal) return `≥ ${goal.at_least}`
  return 'above' in goal ? `> ${amount(goal.above)}` : `≤ ${goal.at_most}`
}

/**
 * Writes date, machine, versions, options and figures. Without `file`, a full-size run with at most a quarter of its figures
 * disturbed goes to `bench/results/<date>-<name>.json`, any other to `bench/.work/`. Returns the file.
 */
export function keep(outcome: Outcome, to: { readonly file?: string | undefined; readonly full: boolean }): string {
  const { name, figures, others, options, more } = outcome
  const date = new Date().toISOString()
  const disturbed = figures.filter((figure) => isDisturbed(figure, others))
  const worth = to.full && disturbed.length * 4 <= figures.length
  const file =
    to.file ??
    (worth
      ? join(import.meta.dirname, 'results', `${date.slice(0, 10)}-${name}.json`)
      : join(import.meta.dirname, '.work', `${name}.json`))
  mkdirSync(dirname(file), { recursive: true })
  const judged = figures.map((figure) => ({ ...figure, verdict: verdict(figure, others) }))
  const written = { name, date, machine: describeMachine(), versions: versions(), others, options, figures: judged }
  writeFileSync(file, `${JSON.stringify({ ...written, ...more }, null, 1)}\n`)
  return file
}
