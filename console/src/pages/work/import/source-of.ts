/** The source that a file is with the choices of a person. */
import {
  csvSource,
  type FieldType,
  missingField,
  type Place,
  type Places,
} from '../../../../../server/src/imports/csv-entry.ts'
import type { CsvTable } from '../../../../../server/src/imports/csv-row.ts'
import type { Draft, Entry, Note, Source } from '../../../../../server/src/imports/draft.ts'
import { jiraSource } from '../../../../../server/src/imports/jira.ts'
import { linearSource } from '../../../../../server/src/imports/linear.ts'
import { trelloSource } from '../../../../../server/src/imports/trello.ts'
import { type Advise, Unusable } from '../../../../../server/src/imports/unusable.ts'
import { t } from '../../../language/index.ts'
import { type Choices, status_and_column, type Words } from './choices.ts'
import { page_limits } from './limits.ts'
import { columnNamed } from './names.ts'
import type { ReadFile } from './read-file.ts'

/** What can be done about a value, in the words of the page. */
const advise: Advise = ({ kind }) => {
  switch (kind) {
    case 'status':
      return t('choose its status under Statuses')
    case 'priority':
      return t('choose its priority under Priorities')
    case 'person':
      return t('choose a member under People')
    case 'date_order':
      return t('choose the order of dates')
    case 'archived':
      return t('“Import archived cards” includes it')
    case 'encoding':
      return t('choose the encoding of the file')
  }
}

/** The source of a file with these choices. Throws Unusable if they do not fit the file. */
export async function sourceOf(file: ReadFile, choices: Choices): Promise<Source> {
  const base = await plainSource(file, choices)
  return {
    ...base,
    joinsProjects: base.joinsProjects && choices.target.kind === 'named',
    async *entries() {
      let count = 0
      for await (const entry of base.entries()) {
        yield shaped(entry, choices)
        if (++count % page_limits.rows_between_pauses === 0) await new Promise((resolve) => setTimeout(resolve))
      }
    },
  }
}

async function plainSource(file: ReadFile, choices: Choices): Promise<Source> {
  const { kind, archived } = choices
  const status = tableOf(choices.statuses)
  if (kind === 'trello') {
    if (file.board === null) throw new Unusable(t('is not an export of a Trello board, which is a JSON file'))
    return trelloSource(file.board, { status, archived: archived ? 'import' : 'skip' }, advise)
  }
  if (file.table === null) throw new Unusable(t('is a JSON file; exports of Jira and Linear are CSV files'))
  const dates = { order: choices.dateOrder ?? undefined, zone: choices.zone }
  const priority = tableOf(choices.priorities)
  if (kind === 'jira') return await jiraSource(file.table, { dates, status, priority }, advise)
  if (kind === 'linear') return linearSource(file.table, { status, priority }, advise)
  const places = placesOf(file.table, choices)
  const missing = missingField(places)
  if (missing === 'title') throw new Unusable(t('has no column for the title yet: choose one under Columns'))
  if (missing === 'key') throw new Unusable(t('has no column for the key yet, by which rows refer to each other'))
  return csvSource(file.table, { places, dates, separator: ',' }, advise)
}

const tableOf = (words: Words): ReadonlyMap<string, string> => new Map(Object.entries(words))

function placesOf({ header }: CsvTable, { map, statuses, priorities }: Choices): Places {
  const places = new Map<string, Place>()
  for (const [at, name] of header.entries()) {
    const chosen = map[name] ?? ''
    const [whole, type = 'text'] = chosen.split('|')
    const fields = whole === status_and_column ? ['status', 'column'] : whole === '' ? [] : [whole]
    for (const field of fields) {
      if (field === undefined) continue
      const before = places.get(field)
      const table = field === 'status' ? statuses : field === 'priority' ? priorities : {}
      places.set(field, {
        columns: [...(before?.columns ?? []), at],
        name: before?.name ?? name,
        type: type as FieldType,
        table: tableOf(table),
      })
    }
  }
  return places
}

/** An entry as the choices have it. */
function shaped({ draft, notes }: Entry, choices: Choices): Entry {
  if (draft === null) return { draft, notes }
  const { target, columns, people, without } = choices
  const [person] = draft.person
  const isUnassigned = person !== undefined && people[person] === ''
  const reason = t('{stringify} is mapped to no member, so the task has no assignee.', {
    stringify: JSON.stringify(person),
  })
  const left: Note = { line: draft.line, column: 'assignee', key: draft.key, action: 'left_out', reason }
  const shape: Draft = {
    ...draft,
    fields: without.length === 0 ? draft.fields : { ...draft.fields, ...keptFields(draft, without) },
    person: isUnassigned ? [] : draft.person,
    project: target.kind === 'new' ? target.name.trim() : draft.project,
    column: columnNamed(draft.column, columns),
  }
  return { draft: shape, notes: isUnassigned ? [...notes, left] : notes }
}

function keptFields({ fields: { custom_fields = {} } }: Draft, without: readonly string[]) {
  return { custom_fields: Object.fromEntries(Object.entries(custom_fields).filter(([key]) => !without.includes(key))) }
}
