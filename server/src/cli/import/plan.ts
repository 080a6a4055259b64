/**
 * The plan of an import: everything that it would make, known from the file and the members before anything is written.
 * Both walks over a source (for the plan, and for the work) see the same entries in the same order.
 */
import { hash } from 'node:crypto'
import { checked } from './checked.ts'
import type { DefinedFields } from './defined-fields.ts'
import { type Draft, type Entry, linkName, type Note, type Source } from './draft.ts'
import type { People } from './people.ts'
import type { Report } from './report.ts'
import { guessStatus } from './vocabulary.ts'

export interface Container {
  readonly name: string
  /** In the order in which they are first needed, each with the status of all its tasks; null if they differ. */
  readonly columns: Map<string, string | null>
}

export interface Plan {
  readonly rows: number
  readonly tasks: number
  readonly comments: number
  readonly links: number
  readonly labels: number
  readonly projects: ReadonlyMap<string, Container>
  /** Names without a member, with the number of their tasks. */
  readonly strangers: ReadonlyMap<string, number>
  readonly statuses: ReadonlyMap<string, number>
}

export interface Preparing {
  readonly source: Source
  readonly people: People
  readonly fields: DefinedFields
  readonly cut: boolean
  /** The project that all tasks go into, if there is one. */
  readonly project: string | null
}

/** The entries of a source as the API would take them: checked, assigned, and each in a project or in none. */
export async function* prepared({ source, people, fields, cut, project }: Preparing): AsyncGenerator<Entry> {
  for await (const entry of source.entries()) {
    const read = source.texts === undefined ? entry : fields.fitted(entry, source.texts)
    const { draft, notes } = checked(read, cut)
    if (draft === null) yield { draft, notes }
    else
      yield placed(
        source.keyed ? { ...draft, version: versionOf(entry.draft as Draft) } : draft,
        notes,
        people,
        project,
      )
  }
}

/** Comments and links are not part of it: new ones of an imported row are added. */
function versionOf({ fields, person, project, column, created, creator }: Draft): string {
  return hash('sha256', JSON.stringify([fields, person, project, column, created, creator])).slice(0, 32)
}

function placed(draft: Draft, before: readonly Note[], people: People, project: string | null): Entry {
  const notes = [...before]
  const leaveOut = (column: string, reason: string): void => {
    notes.push({ line: draft.line, column, key: draft.key, action: 'left_out', reason })
  }
  const [name] = draft.person
  const stranger = name !== undefined && people.find(draft.person) === null
  if (stranger) {
    leaveOut('assignee', `${unknown_person}${JSON.stringify(name)}. Name the member with --person '${name}=EMAIL'.`)
  }
  // One name for the project that stands for all.
  const place = project ?? draft.project
  if (place === null && draft.column !== null) leaveOut('column', 'A column needs a project, and the row has none.')
  const column = place === null ? null : draft.column
  return { draft: { ...draft, person: stranger ? [] : draft.person, project: place, column }, notes }
}

const unknown_person = 'No active member is called '

/** Goes through the whole file once. Refusals and what is left out go into the report. */
export async function makePlan(preparing: Preparing, report: Report): Promise<Plan> {
  const projects = new Map<string, Container>()
  const [strangers, statuses] = [new Map<string, number>(), new Map<string, number>()]
  const labels = new Set<string>()
  const links = new Set<string>()
  let [rows, tasks, comments] = [0, 0, 0]
  for await (const { draft, notes } of prepared(preparing)) {
    rows++
    for (const note of notes) {
      report.add(note)
      const name = /^"(?:[^"\\]|\\.)*"/.exec(note.reason.slice(unknown_person.length))?.[0]
      if (name !== undefined && note.reason.startsWith(unknown_person)) count(strangers, JSON.parse(name) as string)
    }
    if (draft === null) continue
    tasks++
    comments += draft.comments.length
    for (const link of draft.links) links.add(linkName(link))
    for (const label of draft.fields.labels ?? []) labels.add(label)
    count(statuses, draft.fields.status ?? 'todo')
    if (draft.project === null) continue
    const container = projects.get(draft.project) ?? { name: draft.project, columns: new Map<string, string | null>() }
    if (draft.column !== null) addColumn(container, draft.column, statedStatus(draft.fields))
    projects.set(draft.project, container)
  }
  return { rows, tasks, comments, links: links.size, labels: labels.size, projects, strangers, statuses }
}

/** The status that the source states; null if it states none. */
export const statedStatus = ({ status, completed_at }: Draft['fields']): string | null =>
  status ?? (completed_at === undefined ? null : 'done')

function addColumn({ columns }: Container, name: string, status: string | null): void {
  // `todo` may stand for a status that the source does not know.
  const known = status === 'todo' && guessStatus(name) !== 'todo' ? null : status
  const before = columns.get(name)
  columns.set(name, before === undefined || before === known ? known : null)
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}
