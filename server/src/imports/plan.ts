/**
 * The plan of an import: everything that it would make, known from the file and the members before anything is written.
 * Both walks over a source (for the plan, and for the work) see the same entries in the same order.
 */
import { capitalized } from '../lib/sentence.ts'
import type { DefinedFields } from './defined-fields.ts'
import { sha256 } from './digest.ts'
import { type Draft, type Entry, linkName, type Note, type Source } from './draft.ts'
import type { People } from './people.ts'
import { guessStatus } from './vocabulary.ts'

interface Container {
  readonly name: string
  /** In the order in which they are first needed, each with the status of all its tasks; null if they differ. */
  readonly columns: Map<string, string | null>
}

export interface Plan {
  readonly rows: number
  readonly tasks: number
  readonly comments: number
  readonly links: number
  readonly labels: ReadonlyMap<string, number>
  /** Custom fields, with the number of tasks that have them. */
  readonly fields: ReadonlyMap<string, number>
  /** Names of assignees, with the number of their tasks. */
  readonly people: ReadonlyMap<string, number>
  readonly projects: ReadonlyMap<string, Container>
  /** Those of them without a member, with the number of their tasks. */
  readonly strangers: ReadonlyMap<string, number>
  readonly statuses: ReadonlyMap<string, number>
}

export interface Preparing {
  readonly source: Source
  readonly people: People
  readonly fields: DefinedFields
  /** The entry with its draft checked against what the API takes; a draft that it would refuse becomes refusals. */
  readonly check: (entry: Entry) => Entry
  /** The project that all tasks go into, if there is one. */
  readonly project: string | null
}

/** The entries of a source as the API would take them: checked, assigned, and each in a project or in none. */
export async function* prepared(preparing: Preparing): AsyncGenerator<Prepared> {
  const { source, fields, check } = preparing
  for await (const entry of source.entries()) {
    const read = source.texts === undefined ? entry : fields.fitted(entry, source.texts, source.advise)
    const { draft, notes } = check(read)
    if (draft === null) yield { draft, notes, source: entry.draft, stranger: null }
    else yield placed(draft, notes, entry.draft as Draft, preparing)
  }
}

/** An entry with its draft as the source has it, and the name of its assignee if no member is called so. */
export interface Prepared extends Entry {
  readonly source: Draft | null
  readonly stranger: string | null
}

/** Comments and links are not part of it: new ones of an imported row are added. */
export async function versionOf({ fields, person, project, column, created, creator }: Draft): Promise<string> {
  return (await sha256(JSON.stringify([fields, person, project, column, created, creator]))).slice(0, 32)
}

function placed(
  draft: Draft,
  before: readonly Note[],
  source: Draft,
  { people, project, source: { advise } }: Preparing,
): Prepared {
  const notes = [...before]
  const leaveOut = (column: string, reason: string): void => {
    notes.push({ line: draft.line, column, key: draft.key, action: 'left_out', reason })
  }
  const [name] = draft.person
  const stranger = name !== undefined && people.find(draft.person) === null
  if (stranger) {
    const advice = advise({ kind: 'person', word: name, column: 'assignee' })
    const sentence = capitalized(advice)
    leaveOut('assignee', `No active member is called ${JSON.stringify(name)}. ${sentence}.`)
  }
  // One name for the project that stands for all.
  const place = project ?? draft.project
  if (place === null && draft.column !== null) leaveOut('column', 'A column needs a project, and the row has none.')
  const column = place === null ? null : draft.column
  const kept = { ...draft, person: stranger ? [] : draft.person, project: place, column }
  return { draft: kept, notes, source, stranger: stranger ? name : null }
}

/** Goes through the whole file once. Refusals and what is left out go into the report. */
export async function makePlan(preparing: Preparing, report: (note: Note) => void): Promise<Plan> {
  const projects = new Map<string, Container>()
  const [strangers, statuses] = [new Map<string, number>(), new Map<string, number>()]
  const [labels, fields, people] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()]
  const links = new Set<string>()
  let [rows, tasks, comments] = [0, 0, 0]
  for await (const { draft, notes, source, stranger } of prepared(preparing)) {
    rows++
    for (const note of notes) report(note)
    if (stranger !== null) count(strangers, stranger)
    if (draft === null) continue
    tasks++
    comments += draft.comments.length
    for (const link of draft.links) links.add(linkName(link))
    for (const label of draft.fields.labels ?? []) count(labels, label)
    for (const field of Object.keys(draft.fields.custom_fields ?? {})) count(fields, field)
    const [person] = source?.person ?? []
    if (person !== undefined) count(people, person)
    count(statuses, draft.fields.status ?? 'todo')
    if (draft.project === null) continue
    const container = projects.get(draft.project) ?? { name: draft.project, columns: new Map<string, string | null>() }
    if (draft.column !== null) addColumn(container, draft.column, statedStatus(draft.fields))
    projects.set(draft.project, container)
  }
  return { rows, tasks, comments, links: links.size, labels, fields, people, projects, strangers, statuses }
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
