/** The result of a load: counts by kind, refusals with their reasons, and corrections. */

export interface Count {
  made: number
  /** Existing objects, left unchanged. */
  there: number
  refused: number
}

interface Remark {
  readonly kind: string
  readonly what: string
  readonly why: string
}

export class Report {
  readonly counts: Record<string, Count> = {}
  readonly refusals: Remark[] = []
  readonly notes: Remark[] = []

  count(kind: string): Count {
    this.counts[kind] ??= { made: 0, there: 0, refused: 0 }
    return this.counts[kind]
  }

  refuse(kind: string, what: string, why: string): void {
    this.count(kind).refused++
    this.refusals.push({ kind, what, why })
  }

  note(what: string, why: string): void {
    this.notes.push({ kind: 'note', what, why })
  }

  /** The whole report, grouped by reason. */
  text(): string {
    const kinds = Object.entries(this.counts)
    const rows = kinds.map(([kind, { made, there, refused }]) => [kind, made, there, refused].map(String))
    const table = [['', 'made', 'there', 'refused'], ...rows].map(
      ([kind = '', ...figures]) => kind.padEnd(14) + figures.map((figure) => figure.padStart(9)).join(''),
    )
    return [...table, ...section('Refused', this.refusals), ...section('Noted', this.notes)].join('\n')
  }
}

function section(title: string, remarks: readonly Remark[]): string[] {
  if (remarks.length === 0) return []
  const lines = ['', `${title}: ${remarks.length}`]
  const reasons = Map.groupBy(remarks, ({ kind, why }) => (kind === 'note' ? why : `${kind}: ${why}`))
  for (const [reason, cases] of [...reasons].sort(([, a], [, b]) => b.length - a.length)) {
    lines.push(`  ${cases.length} × ${reason}`, ...cases.map(({ what }) => `      ${what}`))
  }
  return lines
}
