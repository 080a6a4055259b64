/**
 * The groups of a list of tasks: by which properties a list can be divided, and for each group its name, its filter and
 * which tasks belong to it. Pure: the counts come from the server.
 */
import type { Task } from '@atrium/sdk'
import { type Chip, type ChipValue, chipsOf, chipText, textOf } from '../../app/filter/chips.ts'
import { localInstant } from '../../app/filter/days.ts'
import { customKey, customProperty, type FilterField } from '../../app/filter/fields.ts'
import { priorities, priorityName, statuses } from '../../app/tasks/values.ts'
import { momentOf, plusWallDays, startOfWallDay, wallOf } from '../../design/wall-time.ts'
import { inWords } from '../../design/words.ts'
import { inSentence, t, textLanguage } from '../../language/index.ts'

/** The longest filter that the API takes. */
const filter_chars_max = 2048
/** Groups of a list; the tasks of further values are counted together. */
export const list_groups_max = 200
const none_id = '~'
const others_id = '~others'

export interface Named {
  readonly id: string
  readonly name: string
}

/** What groups are named after. */
export interface GroupNames {
  readonly nameOf: (user: string) => string
  readonly projects: readonly Named[]
  /** The columns of the only project of the list, in the order of its board. */
  readonly columns: readonly Named[]
  readonly fields: readonly FilterField[]
  /** Unix seconds. */
  readonly now: number
}

export type GroupValue = string | number | boolean | null

export interface ValueCount {
  readonly value: GroupValue
  readonly count: number
}

/** What marks a status, a priority, a person, or an option with a color. */
export interface GroupMark {
  readonly property: { readonly name: string; readonly type?: string }
  readonly mark: string
}

export interface ListGroup {
  /** Names the group in the address. */
  readonly id: string
  readonly name: string
  readonly value: GroupValue
  readonly mark: GroupMark | null
  readonly count: number
  /** Selects its tasks; null if no filter does. */
  readonly filter: string | null
  readonly has: (task: Task) => boolean
}

const group_titles: Readonly<Record<string, string>> = {
  status: 'Status',
  assignee: t('Assignee'),
  priority: 'Priority',
  project: t('Project'),
  column: t('Column'),
  labels: t('Label'),
  due_at: t('Due date'),
}
const grouped_types = ['select', 'person', 'checkbox']

/** The properties that a list can be grouped by; by column only the list of one project. */
export function groupChoices(fields: readonly FilterField[], isOfProject: boolean) {
  const plain = Object.entries(group_titles)
    .filter(([name]) => name !== 'column' || isOfProject)
    .map(([name, title]) => [name, inSentence(title)] as const)
  const custom = fields
    .filter(({ type, isOffered }) => isOffered && type !== null && grouped_types.includes(type))
    .map(({ key, name }) => [customProperty(key), name] as const)
  return [...plain, ...custom].map(([value, title]) => ({ value, label: t('By {title}', { title }) }))
}

/** The moments that divide due dates, in Unix seconds: today, tomorrow, the day after, and in a week, all at midnight. */
export function dueBounds(now: number): readonly number[] {
  const today = startOfWallDay(wallOf(now))
  return [0, 1, 2, 7].map((days) => momentOf(plusWallDays(today, days)))
}
const due_names = [t('Earlier'), t('Today'), t('Tomorrow'), t('Next 7 days'), t('Later')]

/** The groups in their order. Those without tasks are left out, except columns, into which tasks are moved. */
export function groupsOf(
  by: string,
  counts: { readonly groups: readonly ValueCount[]; readonly others: number },
  names: GroupNames,
): readonly ListGroup[] {
  const found = new Map(counts.groups.map(({ value, count }) => [value, count]))
  const known = knownValues(by, names)
  const values = known ?? namedValues(by, [...found.keys()], names)
  const shown = values.filter((value) => found.has(value) || (by === 'column' && value !== null))
  const groups = shown.slice(0, list_groups_max).map((value) => groupOf(by, value, found.get(value) ?? 0, names))
  const others = [...found].reduce<number>(
    (sum, [value, count]) => (shown.includes(value) ? sum : sum + count),
    counts.others,
  )
  const cut = shown.slice(list_groups_max).reduce<number>((sum, value) => sum + (found.get(value) ?? 0), 0)
  return others + cut === 0 ? groups : [...groups, othersOf(by, groups, others + cut)]
}

/** The possible values in their order; null if any text may be one. */
function knownValues(by: string, { columns, fields }: GroupNames): readonly GroupValue[] | null {
  if (by === 'status') return statuses
  if (by === 'priority') return priorities
  if (by === 'due_at') return [...due_names.keys(), null]
  if (by === 'column') return [null, ...columns.map(({ id }) => id)]
  const field = fields.find(({ key }) => key === customKey(by))
  if (field?.type === 'checkbox') return [true, false, null]
  return field?.type === 'select' ? [...field.options.map(({ id }) => id), null] : null
}

const user_form = /^usr_[0-9A-Za-z]{1,156}$/

/** The values by name, tasks without one last. A value of a person field that is no user has no group of its own. */
function namedValues(by: string, found: readonly GroupValue[], names: GroupNames): readonly GroupValue[] {
  const isField = customKey(by) !== undefined
  const compared = found.filter((value) => value === null || !isField || user_form.test(String(value)))
  const nameOf = (value: GroupValue) => valueName(by, value, names)
  return compared.toSorted(
    (a, b) =>
      Number(a === null) - Number(b === null) || nameOf(a).localeCompare(nameOf(b), textLanguage(), { numeric: true }),
  )
}

function valueName(by: string, value: GroupValue, names: GroupNames): string {
  if (value === null) return t('No {title}', { title: inSentence(titleOf(by, names)) })
  const nameIn = (list: readonly Named[]) => list.find(({ id }) => id === value)?.name
  const text = String(value)
  switch (by) {
    case 'status':
      return inWords(text)
    case 'priority':
      return priorityName(text)
    case 'assignee':
      return personName(text, names)
    case 'project':
      return nameIn(names.projects) ?? t('Another project')
    case 'column':
      return nameIn(names.columns) ?? t('Another column')
    case 'due_at':
      return due_names[Number(value)] ?? ''
    case 'labels':
      return text
    default: {
      const field = names.fields.find(({ key }) => key === customKey(by))
      if (typeof value === 'boolean') return value ? t('Yes') : t('No')
      if (field?.type === 'person') return personName(text, names)
      return field?.options.find(({ id }) => id === value)?.names.join(' / ') ?? text
    }
  }
}

/** A user that the directory does not have is named by its id. */
function personName(user: string, { nameOf }: GroupNames): string {
  const name = nameOf(user)
  return name === user ? t('Unknown person') : name
}

function titleOf(by: string, { fields }: Pick<GroupNames, 'fields'>): string {
  return group_titles[by] ?? fields.find(({ key }) => key === customKey(by))?.name ?? by
}

function groupOf(by: string, value: GroupValue, count: number, names: GroupNames): ListGroup {
  const text = String(value)
  return {
    id: value === null ? none_id : text.startsWith('~') ? `~${text}` : text,
    name: valueName(by, value, names),
    mark: markOf(by, value, names),
    ...{ value, count },
    filter: by === 'due_at' ? dueText(value, dueBounds(names.now)) : valueText(by, value),
    has: by === 'due_at' ? isDue(value, dueBounds(names.now)) : (task) => valuesIn(by, task).includes(value),
  }
}

function markOf(by: string, value: GroupValue, { fields }: GroupNames): GroupMark | null {
  if (typeof value !== 'string') return null
  if (by === 'status' || by === 'priority' || by === 'assignee') return { property: { name: by }, mark: value }
  const field = fields.find(({ key }) => key === customKey(by))
  if (field === undefined || field.type === null) return null
  const mark = field.type === 'person' ? value : field.options.find(({ id }) => id === value)?.color
  return mark ? { property: { name: by, type: field.type }, mark } : null
}

function valueText(by: string, value: GroupValue): string {
  const chip = (operator: Chip['operator'], ...values: readonly ChipValue[]) => ({ property: by, operator, values })
  if (value === null) return chipText(chip('empty'))
  const isWord = typeof value === 'boolean' || by === 'status' || by === 'priority'
  return chipText(chip('is', { text: String(value), quoted: !isWord }))
}

function valuesIn(by: string, task: Task): readonly GroupValue[] {
  if (by === 'labels') return task.labels.length === 0 ? [null] : task.labels
  const key = customKey(by)
  if (key === undefined) return [task[by as 'status' | 'priority' | 'assignee' | 'project' | 'column']]
  const value = task.custom_fields[key] ?? null
  return typeof value === 'object' && value !== null ? [] : [value]
}

/** `value` counts the bounds up to the due date. */
function dueText(value: GroupValue, bounds: readonly number[]): string {
  if (typeof value !== 'number') return 'due_at = null'
  const [from, until] = [bounds[value - 1], bounds[value]].map((at) => at && localInstant(at))
  return [from && `due_at >= ${from}`, until && `due_at < ${until}`].filter(Boolean).join(' ')
}

function isDue(value: GroupValue, bounds: readonly number[]): (task: Task) => boolean {
  return ({ due_at }) =>
    typeof value === 'number'
      ? due_at !== null && bounds.filter((bound) => bound <= due_at).length === value
      : due_at === null
}

/** The tasks with other values than the groups have, for custom fields with values that do not fit. */
function othersOf(by: string, groups: readonly ListGroup[], count: number): ListGroup {
  const values = groups.flatMap(({ value }) => (value === null ? [] : [value]))
  const list = values.map((value) => ({ text: String(value), quoted: typeof value !== 'boolean' }))
  const chips: Chip[] = [{ property: by, operator: 'not_empty', values: [] }]
  if (list.length > 0) chips.push({ property: by, operator: 'none_of', values: list })
  const text = textOf({ chips, advanced: '' })
  const isField = customKey(by) !== undefined
  return {
    ...{ id: others_id, name: isField ? t('Other values') : t('Further groups'), mark: null, value: null, count },
    filter: isField && text.length < filter_chars_max / 2 ? text : null,
    has: (task) => !groups.some((group) => group.has(task)),
  }
}

/** Both filters together. Parentheses only where they are needed: a list shows what is in them as text. */
export function filterBoth(filter: string, more: string): string {
  if (filter === '') return more
  return /\bOR\b/i.test(filter) ? `(${filter}) ${more}` : `${filter} ${more}`
}

/** The collapsed groups in the address. */
export function readCollapsed(text: string): ReadonlySet<string> {
  return new Set(
    text
      .split(' ')
      .filter(Boolean)
      .map((id) => id.replaceAll('%20', ' ').replaceAll('%25', '%')),
  )
}

export function writeCollapsed(ids: ReadonlySet<string>): string {
  return [...ids]
    .slice(-list_groups_max)
    .map((id) => id.replaceAll('%', '%25').replaceAll(' ', '%20'))
    .join(' ')
}

/** The project that a filter is limited to; null if it names none, several, or an unknown one. */
export function onlyProject(filter: string, projects: readonly Named[]): string | null {
  const chips = chipsOf(filter).chips.filter(({ property }) => property === 'project')
  const [chip] = chips
  const [value] = chip?.values ?? []
  if (chip === undefined || value === undefined || chips.length > 1 || chip.values.length > 1) return null
  if (chip.operator !== 'is' && chip.operator !== 'any_of') return null
  const found = projects.filter(({ id, name }) => id === value.text || name.toLowerCase() === value.text.toLowerCase())
  return found.length === 1 ? (found[0]?.id ?? null) : null
}
