/** Figures with their goals: what is shown, what is written to a file, and what the exit code says. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describeMachine, others_max, versions } from './machine.ts'

export interface Figure {
  readonly name: string
  readonly value: number
  /** Of the value: `ms`, `tasks/s`, `MiB`, `of the floor`. */
  readonly unit: string
  readonly goal?: Goal
  /** Why this run or this machine cannot say whether the goal is met. */
  readonly unsure?: string
  /** Other work on the machine does not move it, as with memory. */
  readonly steady?: true
  /** Cores that others kept busy while this one was measured; left out, what the whole run saw counts. */
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
  /** Cores that others kept busy. */
  readonly others: number
  /** The options that the run was made with. */
  readonly options: Readonly<Record<string, unknown>>
  /** Everything that was counted on the way. */
  readonly more?: object
}

/** 0: every goal met. 1: one was missed. 2: nothing could be measured. 3: none missed, but the machine cannot tell. */
export type ExitCode = 0 | 1 | 2 | 3

/** Whether a figure meets its goal. What others disturbed is not judged, unless it is steady. `others`: of the whole run. */
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

/** The table of figures, and the sentences that make them worth less. */
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
      `unsure: others kept ${others.toFixed(2)} cores busy (at most ${others_max}): what they disturbed is worth nothing`,
    )
  }
  return lines.join('\n')
}

/** Lines of a table; columns in `numeric` stand on the right. */
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
 * Writes date, machine, versions, options and figures. Without a file named, a run that is worth keeping (full size, at most
 * a quarter of its figures disturbed by others) goes to `bench/results/<date>-<name>.json`, any other to `bench/.work/`. Returns the file.
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
