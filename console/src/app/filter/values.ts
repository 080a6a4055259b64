/**
 * What a person chooses in a filter, and how it is called: the properties with their operators, and for each value the text
 * of the filter language and the name on a chip. No id and no epoch second is shown where a name or date is known.
 *
 * Custom fields have typed values: an option and a person are written by id or e-mail address, a date as a calendar date, a
 * number and a checkbox without quotes.
 */
import { date, dateTime } from '../../design/time.ts'
import { formatLanguage, wallFormat } from '../../design/time-format.ts'
import { wallOf } from '../../design/wall-time.ts'
import { inWords } from '../../design/words.ts'
import { inSentence, t } from '../../language/index.ts'
import { typeName } from '../tasks/field-values.ts'
import { priorities, priorityName, statuses } from '../tasks/values.ts'
import { type Chip, type ChipValue, type Operator, text_property } from './chips.ts'
import { days, hasOtherDays, isPlanned, isWeekOf, localInstant, periods, weekOf } from './days.ts'
import { customKey, customProperty, type FilterField } from './fields.ts'

interface Named {
  readonly id: string
  readonly name: string
}

interface Person extends Named {
  readonly email: string | null
}

/** What names stand for. */
export interface Vocabulary {
  /** The user; null where the list has no reader, as in a flow. */
  readonly me: string | null
  readonly people: readonly Person[]
  readonly teams: readonly Named[]
  readonly projects: readonly Named[]
  readonly columns: readonly (Named & { readonly project: string })[]
  readonly fields: readonly FilterField[]
  readonly labels: readonly string[]
  /** Tasks that a parent is chosen from. */
  readonly tasks: readonly { readonly id: string; readonly key: string; readonly title: string }[]
  /** Unix seconds. */
  readonly now: number
}

/** `date` is a moment, `day` a calendar date. */
type PropertyKind = 'choice' | 'date' | 'day' | 'number' | 'text'

export interface Property {
  /** A field of the filter language, or `text`. */
  readonly name: string
  readonly title: string
  readonly kind: PropertyKind
  /** The first one is proposed. */
  readonly operators: readonly Operator[]
  /** More words that find the property. */
  readonly words?: string
  /** The type of a custom field. */
  readonly type?: string
}

const choice = ['is', 'is_not', 'any_of', 'none_of'] as const
const day = ['within', 'is', 'before', 'after'] as const
const search = ['contains', 'lacks'] as const

/** The properties in the order of the menu. */
const properties: readonly Property[] = [
  { name: 'status', title: t('Status'), kind: 'choice', operators: choice, words: t('state') },
  { name: 'assignee', title: t('Assignee'), kind: 'choice', operators: choice, words: t('person owner') },
  { name: 'team', title: t('Team'), kind: 'choice', operators: choice, words: t('group department people') },
  { name: 'priority', title: t('Priority'), kind: 'choice', operators: [...choice, 'from', 'until'] },
  { name: 'labels', title: t('Label'), kind: 'choice', operators: [...choice, 'empty', 'not_empty'], words: t('tag') },
  { name: 'project', title: t('Project'), kind: 'choice', operators: choice },
  { name: 'column', title: t('Column'), kind: 'choice', operators: choice, words: t('stage') },
  { name: 'due_at', title: t('Due date'), kind: 'date', operators: [...day, 'overdue', 'empty', 'not_empty'] },
  { name: 'start_at', title: t('Start date'), kind: 'date', operators: [...day, 'empty', 'not_empty'] },
  { name: text_property, title: t('Text'), kind: 'text', operators: search, words: t('title description word') },
  { name: 'title', title: t('Title'), kind: 'text', operators: [...search, 'is', 'is_not'] },
  { name: 'description', title: t('Description'), kind: 'text', operators: search },
  { name: 'created', title: t('Created'), kind: 'date', operators: day },
  { name: 'updated', title: t('Updated'), kind: 'date', operators: day, words: t('changed') },
  {
    name: 'completed_at',
    title: t('Completed'),
    kind: 'date',
    operators: [...day, 'empty', 'not_empty'],
    words: t('done'),
  },
  { name: 'parent', title: t('Parent task'), kind: 'choice', operators: ['is', 'is_not'], words: t('subtask') },
  { name: 'is_archived', title: t('Archived'), kind: 'choice', operators: ['is'] },
]

const is_set = ['empty', 'not_empty'] as const

const field_kinds: Readonly<Record<string, Pick<Property, 'kind' | 'operators'>>> = {
  number: { kind: 'number', operators: ['is', 'is_not', 'from', 'until', 'after', 'before', 'within', ...is_set] },
  date: { kind: 'day', operators: [...day, ...is_set] },
  checkbox: { kind: 'choice', operators: ['is', ...is_set] },
  select: { kind: 'choice', operators: [...choice, ...is_set] },
  multi_select: { kind: 'choice', operators: [...choice, ...is_set] },
  person: { kind: 'choice', operators: [...choice, ...is_set] },
}
const untyped: Pick<Property, 'kind' | 'operators'> = {
  kind: 'text',
  operators: ['contains', 'lacks', 'is', 'is_not', ...is_set],
}

/** The property of a chip. */
export function propertyOf(name: string, { fields }: Pick<Vocabulary, 'fields'>): Property {
  const known = properties.find((each) => each.name === name)
  if (known) return known
  const key = customKey(name) ?? name
  const field = fields.find((each) => each.key === key)
  const type = field?.type ?? null
  return {
    ...{ name, title: field?.name ?? inWords(key) },
    ...(type === null ? untyped : { ...(field_kinds[type] ?? untyped), type }),
  }
}

/** The properties of the menu: those of every task, then custom fields. An organization without teams is offered none. */
export function propertiesOf(vocabulary: Vocabulary): readonly Property[] {
  const offered = vocabulary.fields.filter(({ isOffered }) => isOffered)
  const known = properties.filter(({ name }) => name !== 'team' || vocabulary.teams.length > 0)
  return [...known, ...offered.map(({ key }) => propertyOf(customProperty(key), vocabulary))]
}

/** What tells a custom field from a property of the same name. */
export function propertyHint({ name, type }: Property): string | undefined {
  if (customKey(name) === undefined) return undefined
  return type === undefined ? t('Custom field') : typeName(type)
}

const titles: Readonly<Record<Operator, string>> = {
  is: t('is'),
  is_not: t('is not'),
  any_of: t('is any of'),
  none_of: t('is not any of'),
  contains: t('contains'),
  lacks: t('does not contain'),
  before: t('is before'),
  until: t('is on or before'),
  after: t('is after'),
  from: t('is on or after'),
  within: t('is within'),
  overdue: t('is overdue'),
  empty: t('is empty'),
  not_empty: t('is set'),
}
const orders: Readonly<Partial<Record<Operator, string>>> = {
  before: t('is below'),
  until: t('is at most'),
  after: t('is above'),
  from: t('is at least'),
  within: t('is between'),
}

export function operatorTitle({ kind }: Property, operator: Operator): string {
  return (kind === 'date' || kind === 'day' ? undefined : orders[operator]) ?? titles[operator]
}

export function needsValue(operator: Operator): boolean {
  return operator !== 'empty' && operator !== 'not_empty' && operator !== 'overdue'
}

export function takesSeveral(operator: Operator): boolean {
  return operator === 'any_of' || operator === 'none_of'
}

const alike: readonly (readonly Operator[])[] = [
  ['is', 'is_not', 'any_of', 'none_of'],
  ['before', 'until', 'after', 'from'],
  ['contains', 'lacks'],
  ['empty', 'not_empty'],
]

/** The operators that a chip may take with its values. */
export function otherOperators({ property, operator }: Chip, vocabulary: Vocabulary): readonly Operator[] {
  const { operators } = propertyOf(property, vocabulary)
  const group = alike.find((each) => each.includes(operator)) ?? []
  return group.filter((each) => each === operator || operators.includes(each))
}

export interface ValueOption {
  readonly label: string
  readonly hint?: string
  readonly values: readonly ChipValue[]
  /** Texts of the filter language that mean this option, in lower case. */
  readonly forms: readonly string[]
  /** The object of the option, or the color of an option of a custom field, for its mark. */
  readonly mark?: string
  /** The value for people to read, where `values` has an id. */
  readonly readable?: ChipValue
}

const word = (text: string): ChipValue => ({ text, quoted: false })
const quote = (text: string): ChipValue => ({ text, quoted: true })

function option(label: string, value: ChipValue, more: Partial<ValueOption> = {}): ValueOption {
  return { label, values: [value], ...more, forms: [value.text.toLowerCase(), ...(more.forms ?? [])] }
}

/** The options of a property that is chosen from a list; of a date, its proposals for an operator. */
export function optionsOf(name: string, operator: Operator, vocabulary: Vocabulary): readonly ValueOption[] {
  switch (name) {
    case 'status':
      return statuses.map((status) => option(inWords(status), word(status), { mark: status }))
    case 'priority':
      return priorities.map((priority) => option(priorityName(priority), word(priority), { mark: priority }))
    case 'assignee':
      return people(vocabulary)
    case 'team':
      return namedOptions(vocabulary.teams)
    case 'labels':
      return vocabulary.labels.map((label) => option(label, quote(label)))
    case 'project':
      return [...namedOptions(vocabulary.projects), none(t('No project'))]
    case 'column':
      return columnOptions(vocabulary)
    case 'parent':
      return [none(t('No parent')), ...vocabulary.tasks.map(parentOption)]
    case 'is_archived':
      return [option(t('In archived projects'), word('true')), option(t('In active projects'), word('false'))]
    default:
      return typedOptions(propertyOf(name, vocabulary), operator, vocabulary)
  }
}

function typedOptions(property: Property, operator: Operator, vocabulary: Vocabulary): readonly ValueOption[] {
  const { name, kind, type } = property
  if (kind === 'date' || kind === 'day') return dayOptions(property, operator, vocabulary)
  if (type === 'checkbox') return [option(t('Yes'), word('true')), option(t('No'), word('false'))]
  if (type === 'person') {
    const [me, , ...others] = people(vocabulary)
    return [...(me ? [me] : []), option(t('No person'), word('null')), ...others]
  }
  return kind === 'choice' ? fieldOptions(vocabulary.fields.find(({ key }) => key === customKey(name))) : []
}

/** Options by id, which survives a new name. */
function fieldOptions(field: FilterField | undefined): readonly ValueOption[] {
  const options = field?.options ?? []
  const count = countBy(options.flatMap(({ id, names }) => [...new Set([id, ...names.map(lower)])]))
  return options.map(({ id, names, color, hint }) => {
    const clear = names.filter((name) => count.get(lower(name)) === 1)
    const [readable] = clear
    return option(names.join(' / '), quote(id), {
      forms: clear.map(lower),
      ...(readable === undefined ? {} : { readable: quote(readable) }),
      ...(color === null ? {} : { mark: color }),
      ...(hint === undefined ? {} : { hint }),
    })
  })
}

function lower(text: string): string {
  return text.toLowerCase()
}

function none(label: string): ValueOption {
  return option(label, word('none'), { forms: ['null'] })
}

function people({ me, people: all }: Vocabulary): readonly ValueOption[] {
  const others = all.map(({ id, name, email }): ValueOption => {
    const isOnly = all.filter((each) => each.name.toLowerCase() === name.toLowerCase()).length === 1
    const value = email !== null ? quote(email) : isOnly ? quote(name) : word(id)
    const forms = [id, ...(isOnly ? [name] : [])].map((form) => form.toLowerCase())
    return option(name, value, { mark: id, forms, ...(email === null ? {} : { hint: email }) })
  })
  const own = me === null ? [] : [option(t('Me'), word('me'), { mark: me })]
  return [...own, none(t('No assignee')), ...others]
}

function namedOptions(list: readonly Named[]): readonly ValueOption[] {
  const count = countBy(list.map(({ name }) => name.toLowerCase()))
  return list.map(({ id, name }) => {
    const isOnly = count.get(name.toLowerCase()) === 1
    return option(name, isOnly ? quote(name) : word(id), { forms: [id.toLowerCase()] })
  })
}

function columnOptions({ columns, projects }: Vocabulary): readonly ValueOption[] {
  const names = new Map(projects.map(({ id, name }) => [id, name]))
  const options = namedOptions(columns).map((each, i) => {
    const project = names.get(columns[i]?.project ?? '')
    return project === undefined ? each : { ...each, hint: project }
  })
  return [...options, none(t('No column'))]
}

function parentOption({ id, key, title }: Vocabulary['tasks'][number]): ValueOption {
  return option(`${key} ${title}`, word(key), { forms: [id.toLowerCase()] })
}

function countBy(list: readonly string[]): ReadonlyMap<string, number> {
  const count = new Map<string, number>()
  for (const each of list) count.set(each, (count.get(each) ?? 0) + 1)
  return count
}

function dayOptions({ name, kind }: Property, operator: Operator, { now }: Vocabulary): readonly ValueOption[] {
  const mayBeAhead = isPlanned(name)
  if (operator === 'within') {
    const week = weekOf(name, now)
    const shown = mayBeAhead ? periods : periods.filter(([, , until]) => until === 'today')
    return [
      { label: t('This week'), values: week, forms: [], hint: rangeName(name, kind, week, now) },
      ...shown.map(([label, from, until]) => ({ label, values: [word(from), word(until)], forms: [] })),
    ]
  }
  const shown = days.filter((text) => mayBeAhead || !text.includes('+')).slice(0, operator === 'is' ? 3 : undefined)
  return shown.map((text) => option(timeName(word(text), now), word(text)))
}

/** The values of a chip in words: `To do, Done`, `Next 7 days`, `Dec 1`. */
export function valuesName({ property, operator, values }: Chip, vocabulary: Vocabulary): string {
  const { kind } = propertyOf(property, vocabulary)
  const { now } = vocabulary
  if (kind === 'date' || kind === 'day') {
    if (operator === 'within') return rangeName(property, kind, values, now)
    return values.map((value) => momentName(value, kind, now)).join(', ')
  }
  const options = kind === 'choice' ? optionsOf(property, operator, vocabulary) : []
  const names = values.map((value) => {
    if (kind === 'number') return numberName(value)
    return optionFor(options, value)?.label ?? unknownName(property, value, vocabulary)
  })
  const [first = '', last = ''] = names
  return operator === 'within' ? t('{first} and {last}', { first, last }) : names.join(', ')
}

function numberName({ text }: ChipValue): string {
  return isNumber(text) ? Number(text).toLocaleString(formatLanguage(), { maximumFractionDigits: 20 }) : `“${text}”`
}

/** Whether the filter language reads an unquoted text as a number. */
function isNumber(text: string): boolean {
  return /^-?\d+(?:\.\d+)?$/.test(text)
}

/** A typed value as the type of the property wants it; null if it cannot have it. */
export function typedValue({ name, kind, type }: Property, typed: string): ChipValue | null {
  const text = typed.trim()
  if (text === '') return null
  if (kind === 'number') return isNumber(text) ? word(text) : null
  const isUntyped = customKey(name) !== undefined && type === undefined
  return isUntyped && isNumber(text) ? word(text) : quote(text)
}

export function optionFor(options: readonly ValueOption[], { text }: ChipValue): ValueOption | undefined {
  return options.find(({ forms }) => forms.includes(text.toLowerCase()))
}

const id_form = /^(?:[a-z]{3,4}_[0-9A-HJKMNP-TV-Z]{26}|opt_[0-9a-z]+)$/

function unknownName(property: string, { text }: ChipValue, vocabulary: Vocabulary): string {
  if (id_form.test(text)) return t('Unknown {title}', { title: inSentence(propertyOf(property, vocabulary).title) })
  return text === '' ? '“”' : text
}

function rangeName(property: string, kind: PropertyKind, values: readonly ChipValue[], now: number): string {
  const [from, until] = values
  if (from === undefined || until === undefined) return ''
  const known = periods.find(([, first, last]) => first === from.text && last === until.text)
  if (known) return known[0]
  const [first, last] = [momentName(from, kind, now), momentName(until, kind, now)]
  if (first === last) return first
  return isWeekOf(property, values, now) ? t('This week ({first} – {last})', { first, last }) : `${first} – ${last}`
}

/** A calendar date is the same in every time zone, the date of a moment is a day in UTC. */
function momentName(value: ChipValue, kind: PropertyKind, now: number): string {
  return kind === 'day' && isDate(value.text) ? utc_day().format(new Date(value.text)) : timeName(value, now)
}

function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))
}

const relative_form = /^(now|today)(?:([+-])(\d{1,6})([hdw]))?$/
const utc_day = wallFormat({ month: 'short', day: 'numeric', year: 'numeric' })

/** A time of the filter language in words. */
export function timeName({ text }: ChipValue, now: number): string {
  const [, anchor, sign, amount, unit = ''] = relative_form.exec(text) ?? []
  if (anchor !== undefined && amount === undefined) return anchor === 'now' ? t('Now') : t('Today')
  if (text === 'today+1d') return t('Tomorrow')
  if (text === 'today-1d') return t('Yesterday')
  if (anchor !== undefined) {
    const count = Number(amount)
    const length =
      unit === 'h'
        ? t('{count, plural, one {# hour} other {# hours}}@@away', { count })
        : unit === 'w'
          ? t('{count, plural, one {# week} other {# weeks}}@@away', { count })
          : t('{count, plural, one {# day} other {# days}}@@away', { count })
    return sign === '+' ? t('In {length}', { length }) : t('{length} ago', { length })
  }
  if (isDate(text)) return `${utc_day().format(new Date(text))}${hasOtherDays(now) ? ' (UTC)' : ''}`
  const at = secondsOf(text)
  return at === null ? text : isEdgeOfDay(at) ? date(at, now) : dateTime(at)
}

function secondsOf(text: string): number | null {
  const seconds = /^\d{1,12}$/.test(text) ? Number(text) : Date.parse(text) / 1000
  return Number.isFinite(seconds) ? Math.floor(seconds) : null
}

function isEdgeOfDay(at: number): boolean {
  const time = wallOf(at).toISOString().slice(11, 19)
  return time === '00:00:00' || time === '23:59:59'
}

const reference_columns = ['assignee', 'project', 'column', 'parent', 'team'] as const
const id_in_text = /"?\b((?:usr|prj|col|tsk|team)_[0-9A-HJKMNP-TV-Z]{26})\b"?/g
const seconds_in_text = /\b((?:due|start|completed)_at|created|updated)(\s*(?:!=|<=|>=|=|<|>)\s*)(\d{9,11})\b/g

const compared_field = /(\bcustom_fields\.([a-z0-9_]+)\s*(?:!=|=|:)\s*)("?)([a-z0-9_]+)\3(?=[\s)]|$)/g
const listed_fields = /(\bcustom_fields\.([a-z0-9_]+)\s+IN\s*\()([^()]*)(?=\))/g

/** The text with names and instants in place of known ids and epoch seconds. It means the same. */
export function readableText(text: string, vocabulary: Vocabulary): string {
  const options = reference_columns.flatMap((name) => optionsOf(name, 'is', vocabulary))
  return text
    .replace(compared_field, (written, before: string, key: string, _: string, id: string) => {
      const name = optionText(key, id, vocabulary)
      return name === null ? written : `${before}${name}`
    })
    .replace(listed_fields, (_, before: string, key: string, list: string) => {
      const names = list.replace(/("?)\b([a-z0-9_]+)\b\1/g, (written, _quote, id: string) => {
        return optionText(key, id, vocabulary) ?? written
      })
      return `${before}${names}`
    })
    .replace(id_in_text, (written, id: string, at: number, whole: string) => {
      if (isUntypedValue(whole.slice(0, at), vocabulary)) return written
      const value = options.find(({ forms }) => forms.includes(id.toLowerCase()))?.values[0]
      return value === undefined ? written : literalText(value)
    })
    .replace(seconds_in_text, (_, field: string, sign: string, at: string) => {
      return `${field}${sign}${localInstant(Number(at))}`
    })
}

const field_before = /\bcustom_fields\.([a-z0-9_]+) *(?:!=|=|:) *$/

/** Whether a value follows that the API compares as it is: a name in its place would mean something else. */
function isUntypedValue(before: string, { fields }: Vocabulary): boolean {
  const key = field_before.exec(before)?.[1]
  return key !== undefined && fields.find((field) => field.key === key)?.type !== 'person'
}

/** The name of an option, by its id; null where only the id is clear. */
function optionText(key: string, id: string, { fields }: Vocabulary): string | null {
  const field = fields.find((each) => each.key === key)
  if (field?.type !== 'select' && field?.type !== 'multi_select') return null
  const found = fieldOptions(field).find(({ values }) => values[0]?.text === id)?.readable
  return found === undefined ? null : literalText(found)
}

function literalText({ text, quoted }: ChipValue): string {
  return quoted ? JSON.stringify(text) : text
}

/** The whole chip in words, for screen readers: `Status is any of To do, Done`. `say` changes how the property is written. */
export function chipName(chip: Chip, vocabulary: Vocabulary, say = (title: string) => title): string {
  const property = propertyOf(chip.property, vocabulary)
  return `${say(property.title)} ${operatorName(chip, vocabulary)} ${valuesName(chip, vocabulary)}`.trim()
}

/** The operator as the chip shows it: a period of one day is that day. */
export function operatorName(chip: Chip, vocabulary: Vocabulary): string {
  const { property, operator, values } = chip
  const isOneDay = operator === 'within' && values[0]?.text.slice(0, 10) === values[1]?.text.slice(0, 10)
  return operatorTitle(propertyOf(property, vocabulary), isOneDay && values[0]?.text.includes('T') ? 'is' : operator)
}
