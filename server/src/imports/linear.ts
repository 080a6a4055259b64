/**
 * Linear's CSV export: a row for each issue, a column for each property. Dates are in ISO 8601, or as JavaScript writes them
 * in older exports (`Tue Mar 01 2022 18:04:05 GMT+0000 (GMT)`).
 */
import type { CsvTable, Row } from './csv-row.ts'
import { type DateForm, readDate } from './dates.ts'
import type { Entry, Link, Source } from './draft.ts'
import { Drafting, given, once } from './drafting.ts'
import { type Advise, Unusable } from './unusable.ts'
import { guessStatus, priorityOf, statusOf, type Table } from './vocabulary.ts'

export interface LinearOptions {
  readonly status?: Table | undefined
  readonly priority?: Table | undefined
}

/** Custom fields, by the column that each comes from. */
const kept_columns = {
  linear_team: 'team',
  linear_estimate: 'estimate',
  linear_cycle: 'cycle name',
  linear_milestone: 'project milestone',
  linear_initiatives: 'initiatives',
  linear_parent: 'parent issue',
} as const

/** Columns that name other issues, with the kind of their link. */
const link_columns = [
  { column: 'blocked by', kind: 'blocks', inward: true },
  { column: 'blocking', kind: 'blocks', inward: false },
  { column: 'blocks', kind: 'blocks', inward: false },
  { column: 'related to', kind: 'relates_to', inward: false },
  { column: 'duplicate of', kind: 'duplicates', inward: false },
  { column: 'parent issue', kind: 'relates_to', inward: false },
] as const

/** Whether the columns are those of an export of Linear. */
export function isLinear(header: readonly string[]): boolean {
  const names = new Set(header.map((name) => name.toLowerCase()))
  return ['id', 'team', 'title', 'status', 'cycle name'].every((name) => names.has(name))
}

/** Throws Unusable if the table is not an export of Linear. */
export function linearSource(csv: CsvTable, options: LinearOptions, advise: Advise): Source {
  const columns = new Map(csv.header.map((name, at) => [name.toLowerCase(), at]))
  for (const name of ['ID', 'Title', 'Status']) {
    if (columns.has(name.toLowerCase())) continue
    throw new Unusable(`is not an export of Linear: it has no column "${name}"`)
  }
  return {
    kind: 'linear',
    file: csv.file,
    name: 'linear',
    keyed: true,
    joinsProjects: false,
    advise,
    async *entries() {
      const seen = new Set<string>()
      for await (const row of csv.rows()) {
        const text = (name: string): string => row.cells[columns.get(name) ?? -1]?.trim() ?? ''
        yield entryOf(row, text, seen, options, advise)
      }
    },
  }
}

type Text = (column: string) => string

function entryOf(row: Row, text: Text, seen: Set<string>, options: LinearOptions, advise: Advise): Entry {
  const key = text('id')
  const drafting = new Drafting(row.line, key, advise)
  if (row.fault !== null) drafting.note('refused', row.fault.column, `The row ${row.fault.reason}.`)
  else if (key === '') drafting.note('refused', 'ID', 'The row has no ID.')
  else if (seen.has(key)) drafting.note('refused', 'ID', `An earlier row has the ID ${key} too.`)
  if (drafting.notes.length > 0) return { draft: null, notes: drafting.notes }
  seen.add(key)
  const priority = text('priority')
  const date = (column: string, name: string) =>
    text(column) === '' ? undefined : drafting.read(name, () => readDate(plainDate(text(column)), utc))
  const status = text('status')
  const fields = given({
    title: text('title'),
    description: text('description'),
    status: status === '' ? undefined : drafting.read('Status', () => statusOf(status, options.status)),
    priority: priority === '' ? undefined : drafting.read('Priority', () => priorityOf(priority, options.priority)),
    due_at: date('due date', 'Due Date'),
    completed_at: guessStatus(status, options.status) === 'done' ? date('completed', 'Completed') : undefined,
    labels: once(text('labels').split(',')),
    custom_fields: { linear_key: key, ...customFields(text) },
  })
  return drafting.entry(fields, {
    person: once([text('assignee')]),
    created: date('created', 'Created'),
    creator: once([text('creator')]),
    project: text('project') || text('team') || key.replace(/-\d+$/, ''),
    column: status || null,
    comments: [],
    links: linksOf(key, text),
  })
}

const utc: DateForm = { zone: 'UTC' }

/** Without the name of the zone after its offset. */
const plainDate = (text: string): string => (text.split(' (', 1)[0] ?? '').replace(' GMT', ' ').trim()

function customFields(text: Text): Record<string, unknown> {
  const found: Record<string, unknown> = {}
  for (const [name, column] of Object.entries(kept_columns)) {
    const value = text(column)
    if (value === '') continue
    const number = Number(value)
    found[name] = name === 'linear_estimate' && Number.isFinite(number) ? number : value
  }
  return found
}

function linksOf(key: string, text: Text): Link[] {
  return link_columns.flatMap(({ column, kind, inward }) =>
    once(text(column).split(/[,\s]+/)).map((other) =>
      inward ? { from: other, to: key, kind } : { from: key, to: other, kind },
    ),
  )
}
