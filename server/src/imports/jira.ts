/**
 * Jira's CSV export, of Cloud and of Data Center. Columns that hold several values stand several times under one name;
 * links stand at both ends; comments are `date;author;text`; dates are in the exporting user's format and zone.
 */

import { quoted } from '../lib/quoted.ts'
import { type DraftAttachment, linksOf, withoutContent } from './attachments.ts'
import type { CsvTable, Row } from './csv-row.ts'
import { type DateForm, readDate } from './dates.ts'
import type { DraftComment, Entry, Link, Source } from './draft.ts'
import { Drafting, given, headOf, once } from './drafting.ts'
import { type Advise, Unusable } from './unusable.ts'
import { guessStatus, priorityOf, statusOf, type Table } from './vocabulary.ts'

export interface JiraOptions {
  readonly dates: DateForm
  readonly status?: Table | undefined
  readonly priority?: Table | undefined
  /** The content of attachments is at hand, so what is missing is noted later. */
  readonly hasAttachments?: boolean
}

/** Names of a column in the versions of Jira, in lower case. */
const names = {
  summary: ['summary'],
  key: ['issue key', 'key'],
  id: ['issue id'],
  type: ['issue type'],
  status: ['status'],
  category: ['status category'],
  projectKey: ['project key'],
  project: ['project name', 'project'],
  priority: ['priority'],
  resolution: ['resolution'],
  assignee: ['assignee'],
  assigneeId: ['assignee id'],
  reporter: ['reporter'],
  reporterId: ['reporter id'],
  creator: ['creator'],
  creatorId: ['creator id'],
  created: ['created'],
  resolved: ['resolved'],
  due: ['due date'],
  labels: ['labels'],
  description: ['description'],
  components: ['components', 'component/s'],
  versions: ['fix versions', 'fix version/s'],
  sprint: ['sprint', 'custom field (sprint)'],
  points: ['custom field (story points)', 'custom field (story point estimate)', 'story points'],
  comment: ['comment'],
  attachment: ['attachment', 'attachments'],
  parent: ['parent', 'parent id'],
  parentKey: ['parent key'],
  epic: ['custom field (epic link)', 'epic link'],
} as const
type Name = keyof typeof names

/** What kind of dependency a link is; others relate. */
const link_kinds: Readonly<Record<string, string>> = { blocks: 'blocks', blocker: 'blocks', duplicate: 'duplicates' }

const link_form = /^(inward|outward) issue link \((.+)\)$/

/** Throws Unusable if the table is not an export of Jira. */
export async function jiraSource(csv: CsvTable, options: JiraOptions, advise: Advise): Promise<Source> {
  const header = new Header(csv.header)
  for (const name of ['summary', 'key'] as const) {
    if (header.has(name)) continue
    throw new Unusable(`is not an export of Jira: it has no column "${name === 'key' ? 'Issue key' : 'Summary'}"`)
  }
  const directory = await readDirectory(csv.rows(), header)
  return {
    kind: 'jira',
    file: csv.file,
    name: 'jira',
    keyed: true,
    joinsProjects: false,
    advise,
    async *entries() {
      const seen = new Set<string>()
      for await (const row of csv.rows()) yield entryOf(new Issue(row, header, directory), seen, options, advise)
    },
  }
}

class Header {
  private readonly columns = new Map<string, number[]>()
  readonly links: readonly {
    readonly inward: boolean
    readonly kind: string
    readonly at: number
    readonly name: string
  }[]

  constructor(header: readonly string[]) {
    const links = []
    for (const [at, name] of header.entries()) {
      const lower = name.toLowerCase()
      this.columns.set(lower, [...(this.columns.get(lower) ?? []), at])
      const [, way, type = ''] = link_form.exec(lower) ?? []
      if (way !== undefined) links.push({ inward: way === 'inward', kind: link_kinds[type] ?? 'relates_to', at, name })
    }
    this.links = links
  }

  at(name: Name): readonly number[] {
    return names[name].flatMap((each) => this.columns.get(each) ?? [])
  }

  has(name: Name): boolean {
    return this.at(name).length > 0
  }
}

interface Directory {
  /** Names of accounts, which comments name by their id. */
  readonly people: ReadonlyMap<string, string>
  /** Keys of issues, which parents are named by their id. */
  readonly keys: ReadonlyMap<string, string>
}

async function readDirectory(rows: AsyncIterable<Row>, header: Header): Promise<Directory> {
  const people = new Map<string, string>()
  const keys = new Map<string, string>()
  for await (const row of rows) {
    const issue = new Issue(row, header, { people, keys })
    keys.set(issue.text('id'), issue.text('key'))
    for (const [name, id] of [
      ['assignee', 'assigneeId'],
      ['reporter', 'reporterId'],
      ['creator', 'creatorId'],
    ] as const) {
      if (issue.text(id) !== '' && issue.text(name) !== '') people.set(issue.text(id), issue.text(name))
    }
  }
  keys.delete('')
  return { people, keys }
}

class Issue {
  readonly row: Row
  readonly header: Header
  readonly directory: Directory

  constructor(row: Row, header: Header, directory: Directory) {
    this.row = row
    this.header = header
    this.directory = directory
  }

  texts(name: Name): string[] {
    return this.header
      .at(name)
      .map((at) => this.row.cells[at] ?? '')
      .filter((text) => text.trim() !== '')
  }

  text(name: Name): string {
    return this.texts(name)[0]?.trim() ?? ''
  }

  parent(): string | null {
    const named = this.text('parentKey') || this.text('parent')
    return named === '' ? null : (this.directory.keys.get(named) ?? named)
  }

  links(): Link[] {
    const key = this.text('key')
    const found: Link[] = []
    for (const { inward, kind, at } of this.header.links) {
      const other = this.row.cells[at]?.trim() ?? ''
      if (other !== '') found.push(inward ? { from: other, to: key, kind } : { from: key, to: other, kind })
    }
    const above = once([this.parent() ?? '', this.text('epic')])
    return [...found, ...above.map((other) => ({ from: key, to: other, kind: 'relates_to' }))]
  }
}

function entryOf(issue: Issue, seen: Set<string>, options: JiraOptions, advise: Advise): Entry {
  const { row } = issue
  const key = issue.text('key')
  const drafting = new Drafting(row.line, key, advise)
  if (row.fault !== null) drafting.note('refused', row.fault.column, `The row ${row.fault.reason}.`)
  else if (key === '') drafting.note('refused', 'Issue key', 'The row has no Issue key.')
  else if (seen.has(key)) drafting.note('refused', 'Issue key', `An earlier row has the key ${key} too.`)
  if (drafting.notes.length > 0) return { draft: null, notes: drafting.notes }
  seen.add(key)
  const { dates } = options
  const priority = issue.text('priority')
  const attachments = issue.texts('attachment').flatMap(attachmentOf)
  const missing = options.hasAttachments ? null : withoutContent(attachments)
  if (missing !== null) drafting.note('left_out', missing.column, missing.reason)
  const created = drafting.date('Created', issue.text('created'), dates)
  const fields = given({
    title: issue.text('summary'),
    description: [issue.texts('description')[0] ?? '', linksOf(attachments)].filter((part) => part !== '').join('\n\n'),
    status: drafting.read('Status', () => status(issue, options)),
    priority: priority === '' ? undefined : drafting.read('Priority', () => priorityOf(priority, options.priority)),
    due_at: drafting.date('Due date', issue.text('due'), dates),
    completed_at: resolvedAt(issue, drafting, options),
    labels: once(issue.texts('labels').flatMap((text) => text.split(/[\s,]+/))),
    custom_fields: customFields(issue, created),
  })
  return drafting.entry(fields, {
    person: once([issue.text('assignee'), issue.text('assigneeId')]),
    created,
    creator: once(['creator', 'creatorId', 'reporter', 'reporterId'].map((name) => issue.text(name as Name))),
    project: issue.text('project') || issue.text('projectKey') || key.replace(/-\d+$/, ''),
    column: issue.text('status') || null,
    comments: issue.texts('comment').map((text) => comment(text, issue.directory, dates)),
    links: issue.links(),
    attachments,
  })
}

/** By the caller's table, by the status's name, by its category, by the resolution. */
function status(issue: Issue, options: JiraOptions): string | undefined {
  const name = issue.text('status')
  if (name === '') return undefined
  const found = guessStatus(name, options.status) ?? guessStatus(issue.text('category'))
  if (found !== undefined) return statusOf(name, new Map([[name, found]]))
  throw new Unusable(`is an unknown status: ${quoted(name)}`, { kind: 'status', word: name })
}

/** Jira keeps the time of a resolution also where the issue was opened again: only of what is done it counts. */
function resolvedAt(issue: Issue, drafting: Drafting, options: JiraOptions): number | undefined {
  const done = (guessStatus(issue.text('status'), options.status) ?? guessStatus(issue.text('category'))) === 'done'
  return done ? drafting.date('Resolved', issue.text('resolved'), options.dates) : undefined
}

function customFields(issue: Issue, created: number | undefined): Record<string, unknown> {
  const points = issue.text('points')
  const number = points === '' ? null : Number(points)
  const found: Record<string, unknown> = {
    jira_key: issue.text('key'),
    jira_type: issue.text('type'),
    jira_reporter: issue.text('reporter'),
    jira_resolution: issue.text('resolution'),
    jira_created: created === undefined ? '' : new Date(created * 1000).toISOString(),
    jira_parent: issue.parent() ?? '',
    jira_epic: issue.text('epic'),
    jira_components: once(issue.texts('components')),
    jira_fix_versions: once(issue.texts('versions')),
    jira_sprints: once(issue.texts('sprint')),
    jira_story_points: number !== null && Number.isFinite(number) ? number : points,
  }
  return Object.fromEntries(
    Object.entries(found).filter(([, value]) => value !== '' && !(Array.isArray(value) && value.length === 0)),
  )
}

/** `24/Mar/21 10:02 AM;5d53f3…;plan.pdf;https://…/attachment/content/10001`: the id is in the URL. */
function attachmentOf(text: string): DraftAttachment[] {
  const [, name = '', url = ''] = /^[^;]*;[^;]*;(.*);(https?:\/\/[^;\s]+)$/s.exec(text.trim()) ?? []
  if (url === '') return []
  const id = /\/attachment\/(?:content\/)?(\d+)/.exec(url)?.[1] ?? ''
  return [{ name: name.trim(), url, id }]
}

/** `24/Mar/21 10:02 AM;5d53f3…;text` with the author's name; a text without that head is taken as it is. */
function comment(text: string, { people }: Directory, dates: DateForm): DraftComment {
  const [, at = '', author = '', body = ''] = /^([^;\n]*);([^;\n]*);(.*)$/s.exec(text) ?? []
  try {
    const created = readDate(at, dates)
    const name = people.get(author) ?? author
    return { body: body.trim(), head: headOf(name, created), author: once([name, author]), created }
  } catch {
    return { body: text, head: null, author: [] }
  }
}
