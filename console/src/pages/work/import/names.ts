/** What the names in a file mean by default, before a person decides. */
import type { SourceKind } from '../../../../../server/src/imports/draft.ts'
import { guessPriority, guessStatus } from '../../../../../server/src/imports/vocabulary.ts'
import { timeZone } from '../../../design/time-format.ts'
import { t } from '../../../language/index.ts'
import { type Choices, status_and_column, type Words } from './choices.ts'
import { page_limits } from './limits.ts'
import type { ReadFile } from './read-file.ts'

/** Field → names that columns have for it, in lower case. */
const column_names: Readonly<Record<string, readonly string[]>> = {
  title: ['title', 'summary', 'name', 'task', 'task name', 'subject', 'to do', 'todo', 'item'],
  description: ['description', 'notes', 'details', 'body', 'content'],
  [status_and_column]: ['status', 'state', 'section', 'section/column', 'stage', 'list', 'column'],
  priority: ['priority', 'importance'],
  assignee: ['assignee', 'assigned to', 'owner', 'responsible', 'assignee email'],
  due_at: ['due date', 'due', 'due on', 'due_at', 'deadline'],
  completed_at: ['completed', 'completed at', 'resolved', 'done at'],
  labels: ['labels', 'label', 'tags', 'tag', 'categories'],
  project: ['project', 'project name', 'projects'],
  key: ['key', 'id', 'task id', 'issue key', 'identifier', 'number'],
  comment: ['comment', 'comments'],
  blocked_by: ['blocked by', 'depends on'],
}

/** Column → field, where the name of the column says it; each field once. */
export function guessMap(header: readonly string[]): Words {
  const map: Record<string, string> = {}
  const lower = header.map((name) => name.toLowerCase())
  for (const [field, names] of Object.entries(column_names)) {
    const name = names.find((each) => lower.includes(each))
    const column = name === undefined ? undefined : header[lower.indexOf(name)]
    if (column !== undefined && map[column] === undefined) map[column] = field
  }
  return map
}

export interface Word {
  readonly word: string
  readonly count: number
}

/** The words of a file that a person may map, with the number of their rows. */
export interface FoundWords {
  readonly statuses: readonly Word[]
  readonly priorities: readonly Word[]
  /** Columns of the board, if statuses are not columns as well. */
  readonly columns: readonly Word[]
  /** Whether each status is a column of the board, too. */
  readonly areColumns: boolean
}

/** The columns of the file for a field. */
function columnsOf(file: ReadFile, kind: SourceKind, map: Words, field: 'status' | 'priority' | 'column'): number[] {
  const fields = field === 'priority' ? ['priority'] : [field, status_and_column]
  const isField = (name: string) =>
    kind === 'csv' ? fields.includes(map[name] ?? '') : field !== 'column' && name.toLowerCase() === field
  return file.table?.header.flatMap((name, at) => (isField(name) ? [at] : [])) ?? []
}

export function wordsOf(
  file: ReadFile,
  { kind, map, archived }: Pick<Choices, 'kind' | 'map' | 'archived'>,
): FoundWords {
  if (file.board !== null) {
    return { statuses: file.board.listCounts(archived), priorities: [], columns: [], areColumns: true }
  }
  const areColumns = kind !== 'csv' || Object.values(map).includes(status_and_column)
  const counted = (field: 'status' | 'priority' | 'column') => countWords(file, columnsOf(file, kind, map, field))
  return {
    statuses: counted('status'),
    priorities: counted('priority').filter(({ word }) => guessPriority(word) === undefined),
    columns: areColumns ? [] : counted('column'),
    areColumns,
  }
}

function countWords({ table }: ReadFile, columns: readonly number[]): Word[] {
  const counts = new Map<string, number>()
  for (const { cells, fault } of table?.all ?? []) {
    if (fault !== null) continue
    const word = columns.map((at) => cells[at]?.trim() ?? '').find((text) => text !== '')
    if (word !== undefined) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return [...counts].map(([word, count]) => ({ word, count }))
}

/** The status that a word stands for; empty if it is unknown. */
export function statusOfWord(word: string, kind: SourceKind, statuses: Words): string {
  return statuses[word] ?? guessStatus(word) ?? (kind === 'trello' ? 'todo' : '')
}

/** The column that a task goes to: as mapped, or by the name that the file has. Null: none. */
export function columnNamed(name: string | null, columns: Words): string | null {
  if (name === null) return null
  const chosen = columns[name] ?? name
  return chosen.trim() === '' ? null : chosen
}

/** The name of a new project for a file. */
export function projectNameOf(file: ReadFile, chars_max: number): string {
  const name = file.board?.name ?? file.name.replace(/\.[^.]*$/, '')
  return [...name.trim()].slice(0, chars_max).join('') || t('Import')
}

/** The choices that a person begins with. */
export function defaultChoices(
  file: ReadFile,
  workspace: string,
  projects: readonly {
    readonly name: string
    readonly id: string
    readonly workspace: string
    readonly status: string
  }[],
  origins: boolean,
): Choices {
  const map = file.table === null ? {} : guessMap(file.table.header)
  return {
    kind: file.kind,
    workspace,
    target: defaultTarget(file, file.kind, map, workspace, projects),
    ...{ map, statuses: {}, priorities: {}, columns: {}, people: {}, without: [] },
    ...{ archived: false, cut: true, origins, dateOrder: null, again: '' },
    zone: timeZone(),
  }
}

/** The projects that the file names; a project of the same name as the file, or else a new one. */
export function defaultTarget(
  file: ReadFile,
  kind: SourceKind,
  map: Words,
  workspace: string,
  projects: Parameters<typeof defaultChoices>[2],
): Choices['target'] {
  if (namesProjects(kind, map)) return { kind: 'named' }
  const name = projectNameOf(file, page_limits.project_name_chars_max)
  const same = projects.find((each) => each.workspace === workspace && each.status !== 'archived' && each.name === name)
  return same === undefined ? { kind: 'new', name } : { kind: 'existing', id: same.id }
}

/** Whether rows name their projects. */
export function namesProjects(kind: SourceKind, map: Words): boolean {
  return kind === 'jira' || kind === 'linear' || (kind === 'csv' && Object.values(map).includes('project'))
}

/** Columns that the project has already, for names of the file that differ in case or spaces only. */
export function columnDefaults({ statuses, columns, areColumns }: FoundWords, existing: readonly string[]): Words {
  const plain = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
  return Object.fromEntries(
    (areColumns ? statuses : columns).flatMap(({ word }) => {
      const same = existing.find((name) => plain(name) === plain(word) && plain(word) !== '')
      return same === undefined || same === word ? [] : [[word, same]]
    }),
  )
}

/** A column's name as the key of a custom field. */
export function fieldKeyOf(column: string, at: number): string {
  const plain = column
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+/, '')
    .replace(/_$/, '')
  return plain === '' ? `field_${at + 1}` : plain.slice(0, 40)
}
