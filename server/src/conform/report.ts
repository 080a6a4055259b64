/** The result of a run: one cell per rule and operation that it applies to. */
import type { Rule } from './rule.ts'

export interface Cell {
  readonly rule: string
  readonly operation: string
  readonly status: 'ok' | 'violation' | 'skipped'
  /** The faults, or the reason for skipping. */
  readonly messages: readonly string[]
}

export interface Report {
  readonly object: 'conformance_report'
  readonly url: string
  readonly organization: string
  readonly mode: string
  readonly requests: number
  /** Why the run ended early. */
  readonly stopped: string | null
  readonly rules: readonly Rule[]
  readonly cells: readonly Cell[]
  /** What the run created and could not delete. */
  readonly left: readonly string[]
}

/** Whether the whole run was done and found no violation. */
export function conforms(report: Report): boolean {
  return report.stopped === null && !report.cells.some(({ status }) => status === 'violation')
}

/** The report as one JSON document. */
export function reportDocument(report: Report): object {
  const { rules, cells, ...rest } = report
  return {
    ...rest,
    conforms: conforms(report),
    rules: rules.map(({ name, promise }) => ({ rule: name, promise, ...countsOf(cells, name) })),
    results: cells,
  }
}

function countsOf(cells: readonly Cell[], rule: string) {
  const count = (status: Cell['status']) => cells.filter((cell) => cell.rule === rule && cell.status === status).length
  return { ok: count('ok'), violations: count('violation'), skipped: count('skipped') }
}

/** The table for people: a row per rule. */
export function summaryRows(report: Report): string[][] {
  const rows = report.rules.map(({ name, promise }) => {
    const { ok, violations, skipped } = countsOf(report.cells, name)
    return [name, String(ok), String(violations), String(skipped), promise]
  })
  return [['RULE', 'OK', 'VIOLATED', 'SKIPPED', 'PROMISE'], ...rows]
}

const operations_shown_max = 5

/** The violations, then the rules that were not tried, grouped by reason. */
export function findings(report: Report): string {
  const violations = report.cells
    .filter(({ status }) => status === 'violation')
    .map(({ rule, operation, messages }) =>
      [`${rule} of ${operation}`, ...messages.map((line) => `    ${line}`)].join('\n'),
    )
  const reasons = Map.groupBy(
    report.cells.filter(({ status }) => status === 'skipped'),
    ({ messages }) => messages.join('; '),
  )
  const skipped = [...reasons].map(([reason, cells]) => {
    const operations = [...new Set(cells.map(({ operation }) => operation))]
    const rest = operations.length - operations_shown_max
    const more = rest > 0 ? ` and ${rest} more` : ''
    return `    ${reason}: ${operations.slice(0, operations_shown_max).join(', ')}${more} (${cells.length})`
  })
  return [
    ...violations,
    ...(skipped.length === 0 ? [] : ['Not tried:', ...skipped]),
    ...(report.left.length === 0 ? [] : [`Not deleted: ${report.left.join(', ')}`]),
  ].join('\n')
}
