/** Maps the source's vocabulary to the API's. Values that do not fit are corrected where that is safe, and always reported. */
import type { SourceTask } from './files.ts'
import type { Report } from './report.ts'

/** The states of an enhancement proposal in order; each is a column with the task's status. */
export const stages_of_life: Readonly<Record<string, string>> = {
  provisional: 'backlog',
  implementable: 'in_progress',
  implemented: 'done',
  deferred: 'blocked',
  replaced: 'canceled',
  superseded: 'canceled',
  withdrawn: 'canceled',
  rejected: 'canceled',
  removed: 'canceled',
}

const release_stages: ReadonlySet<string> = new Set(['alpha', 'beta', 'stable', 'deprecated', 'disabled', 'removed'])

/** A task of the source as fields of the API; project, column and assignee get their ids later. */
export interface Draft {
  readonly source: string
  readonly project: string | null
  readonly column: string | null
  readonly people: readonly string[]
  readonly fields: {
    readonly title: string
    readonly status: string
    readonly completed_at?: number
    readonly labels: readonly string[]
    readonly custom_fields: Readonly<Record<string, unknown>>
  }
}

export function toDraft(task: SourceTask, report: Report): Draft {
  const life = task.status ? stageOfLife(task.status) : null
  if (task.status && life === null) report.note(task.source, `unknown status "${task.status}": left in the backlog`)
  else if (life !== null && life !== task.status) report.note(task.source, `status "${task.status}" read as ${life}`)
  const status = life === null ? 'backlog' : (stages_of_life[life] as string)
  const finished = status === 'done' && isMoment(task.updated) ? { completed_at: task.updated } : {}
  return {
    source: task.source,
    project: task.project || null,
    column: life,
    people: texts(task.authors).map(handleOf),
    fields: {
      title: task.title,
      status,
      ...finished,
      labels: labelsOf(task, report),
      custom_fields: customFields(task),
    },
  }
}

/** The state that a status means: exact, without a remark in brackets, or with up to two wrong letters. */
export function stageOfLife(status: string): string | null {
  const word = status
    .toLowerCase()
    .replace(/\(.*\)/, '')
    .trim()
  if (Object.hasOwn(stages_of_life, word)) return word
  const close = Object.keys(stages_of_life).filter((known) => distance(word, known) <= 2)
  return close.length === 1 ? (close[0] as string) : null
}

/** The edit distance: letters inserted, removed or changed. */
function distance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = (above[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(changed, (above[j] as number) + 1, (row[j - 1] as number) + 1))
    }
    above = row
  }
  return above[b.length] as number
}

/** The stage of the release and the groups that take part. */
function labelsOf(task: SourceTask, report: Report): string[] {
  const labels = new Set(texts(task.participating).filter((label) => label.length <= 80))
  if (task.stage) {
    if (release_stages.has(task.stage)) labels.add(task.stage)
    else report.note(task.source, `unknown stage "${task.stage}": no label, kept in custom_fields`)
  }
  return [...labels].slice(0, 50)
}

/** Everything in the source for which a task has no field, without empty and unset values. */
function customFields(task: SourceTask): Record<string, unknown> {
  const fields: Record<string, unknown> = {
    source: task.source,
    number: task.number,
    kep_status: task.status,
    stage: task.stage,
    latest_milestone: task.latest_milestone,
    authors: texts(task.authors).slice(0, 50),
    reviewers: texts(task.reviewers).slice(0, 50),
    approvers: texts(task.approvers).slice(0, 50),
    participating: texts(task.participating).slice(0, 50),
    feature_gates: texts(task.feature_gates).slice(0, 50),
    kep_created: task.created,
    kep_updated: task.updated,
  }
  for (const [stage, version] of Object.entries(task.milestone ?? {})) {
    const name = `milestone_${stage.toLowerCase().replaceAll(/[^a-z0-9_]/g, '_')}`.slice(0, 40)
    fields[name] = version
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)))
}

/** `“@ada”` and `@ada` are ada. */
function handleOf(text: string): string {
  return text.replaceAll(/^["“@\s]+|["”\s]+$/g, '')
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
}

function texts(values: readonly unknown[] | undefined): string[] {
  const list = Array.isArray(values) ? values : []
  return [...new Set(list.filter((value): value is string => typeof value === 'string' && value !== ''))]
}

function isMoment(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
