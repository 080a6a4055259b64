/** What a run has found: one cell for each rule and operation that it applies to. */
import type { Rule } from './rule.ts'

export interface Cell {
  readonly rule: string
  readonly operation: string
  readonly status: 'ok' | 'violation' | 'skipped'
  /** What is wrong, or why it was not tried. */
  readonly messages: readonly string[]
  /** Why the run ended here. */
  readonly stopped?: string
}

export interface Report {
  readonly object: 'conformance_report'
  readonly url: string
  readonly organization: string
  readonly mode: string
  readonly requests: number
  /** Why not everything was tried. */
  readonly stopped: string | null
  readonly rules: readonly Rule[]
  readonly cells: readonly Cell[]
  /** What was made and could not be removed. */
  readonly left: readonly string[]
}

/** Whether the server keeps the contract, as far as it was tried, and the whole run was done. */
export function conforms(report: Report): boolean {
  return report.stopped === null && !report.cells.some(({ status }) => status === 'violation')
}

/** The report as one document. */
export function reportDocument(report: Report): object {
  const { rules, cells, ...rest } = report
  return {
    ...rest,
    conforms: conforms(report),
    rules: rules.map(({ name, promise }) => ({ rule: name, promise, ...countsOf(cells, name) })),
    results: cells.map(({ stopped: _stopped, ...cell }) => cell),
  }
}

function countsOf(cells: readonly Cell[], rule: string) {
  const of = (status: Cell['status']) => cells.filter((cell) => cell.rule === rule && cell.status === status).length
  return { ok: of('ok'), violations: of('violation'), skipped: of('skipped') }
}

/** The rows of the table that people read: a rule a line. */
export function summaryRows(report: Report): string[][] {
  const rows = report.rules.map(({ name, promise }) => {
    const { ok, violations, skipped } = countsOf(report.cells, name)
    return [name, String(ok), String(violations), String(skipped), promise]
  })
  return [['RULE', 'OK', 'VIOLATED', 'SKIPPED', 'PROMISE'], ...rows]
}

/** What is wrong, and below what was not tried and why, the same reason once. */
export function findings(report: Report): string {
  const wrong = report.cells
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
    const more = operations.length > 5 ? ` and ${operations.length - 5} more` : ''
    return `    ${reason}: ${operations.slice(0, 5).join(', ')}${more} (${cells.length})`
  })
  return [
    ...wrong,
    ...(skipped.length === 0 ? [] : ['Not tried:', ...skipped]),
    ...(report.left.length === 0 ? [] : [`Left behind: ${report.left.join(', ')}`]),
  ].join('\n')
}
