/** A sentence in words, with names instead of ids: what a person reads before anything is opened. */
import { dateFormat } from '../../../design/time-format.ts'
import { capitalized, inWords } from '../../../design/words.ts'
import { inSentence, t } from '../../../language/index.ts'
import { allOf, oneOf } from '../../../language/lists.ts'
import { type NodeDraft, settingAt } from '../editor/graph.ts'
import { kindOf } from '../editor/kinds.ts'
import { amountOf, formulaOf, textOf } from '../editor/values.ts'
import { describeTrigger } from '../trigger-text.ts'
import { type Chip, type ChipValue, chipsOf, isCustom, isTest, type Operator, type Test } from './conditions.ts'
import { momentText } from './moments.ts'
import type { Sentence } from './sentence.ts'
import { startOf } from './starts.ts'
import { readableText } from './variables.ts'

/** Names for what a graph has as ids and keys. */
export interface Names {
  readonly nameOf: (id: string) => string
  /** The name of a custom field by its key. */
  readonly fieldName: (key: string) => string
  /** The name of an option of a custom field. */
  readonly optionName: (key: string, option: string) => string
  /** A filter of tasks as a part of a sentence. */
  readonly filterWords: (filter: string) => string
}

const moment = dateFormat({ dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' })
const chars_max = 160

export function sentenceText({ when, steps, otherwise }: Sentence, names: Names): string {
  const start = oneOf(when.map((trigger) => triggerWords(trigger, names)))
  const row = rowWords(steps, otherwise?.of ?? null, names)
  return `${capitalized(start)}${row}${otherwise === null ? '' : otherwiseWords(otherwise.steps, names)}.`
}

/** Conditions and steps that follow one another; `fork` is the condition with another branch, which is said as "if". */
function rowWords(steps: readonly NodeDraft[], fork: string | null, names: Names, follows = false): string {
  let isAction = follows
  const words = steps.map((node) => {
    if (node.type !== 'condition') {
      isAction = true
      return t(', then {stepWords}', { stepWords: stepWords(node, names) })
    }
    const condition = conditionWords(node.config.expr, names)
    const text =
      node.id === fork
        ? t(', and if {condition}', { condition })
        : isAction
          ? t(', then only if {condition}', { condition })
          : t(' and {condition}', { condition })
    isAction = false
    return text
  })
  // A condition that only says what happens otherwise.
  return `${words.join('')}${fork !== null && steps.at(-1)?.id === fork ? t(', then nothing') : ''}`
}

function otherwiseWords([first, ...rest]: readonly NodeDraft[], names: Names): string {
  if (first === undefined) return ''
  if (first.type !== 'condition') {
    return `${t('; otherwise {stepWords}', { stepWords: stepWords(first, names) })}${rowWords(rest, null, names, true)}`
  }
  const condition = conditionWords(first.config.expr, names)
  return `${t('; otherwise, only if {condition}', { condition })}${rowWords(rest, null, names)}`
}

/** "when the status of a task changes and its status is in review". */
export function triggerWords(node: NodeDraft, names: Names): string {
  const { when, task_query } = node.config
  const start = startOf(node)
  const words =
    node.type === 'trigger.event' && start.id !== 'event'
      ? t('when {label}', { label: start.label })
      : describeTrigger(node)
  const fields = start.id === 'event' ? changedWords(node.config.changed_fields, names) : ''
  const each =
    typeof task_query === 'string' ? t(', for each task where {filter}', { filter: names.filterWords(task_query) }) : ''
  return when === undefined
    ? `${words}${fields}${each}`
    : t('{words}{fields}{each} and {conditionWords}', {
        words,
        fields,
        each,
        conditionWords: conditionWords(when, names),
      })
}

function changedWords(fields: unknown, names: Names): string {
  if (!Array.isArray(fields) || fields.length === 0) return ''
  return t(' and {map} changed', { map: oneOf(fields.map((field) => propertyWords(String(field), names))) })
}

export function conditionWords(expr: unknown, names: Names): string {
  const chips = chipsOf(String(expr ?? ''))
  return chips.length === 0 ? t('always') : allOf(chips.map((chip) => chipWords(chip, names)))
}

const operators: Readonly<Record<Operator, string>> = {
  is: t('is'),
  is_not: t('is not'),
  has: t('contains'),
  has_not: t('does not contain'),
  set: t('is set'),
  not_set: t('is not set'),
  more: t('is more than'),
  less: t('is less than'),
  past: t('has passed'),
}

/** What was true before the change. */
const before_operators: Readonly<Partial<Record<Operator, string>>> = {
  is: t('was'),
  is_not: t('was not'),
  set: t('was set'),
  not_set: t('was not set'),
  more: t('was more than'),
  less: t('was less than'),
}

export function operatorWords({ property, operator, root }: Pick<Test, 'property' | 'operator' | 'root'>): string {
  if (property === 'teams') return operators[operator === 'has' ? 'is' : 'is_not']
  if (property === 'labels' || (isCustom(property) && operator.startsWith('has')))
    return operator === 'has' ? t('include') : t('do not include')
  return root === 'before' ? (before_operators[operator] ?? operators[operator]) : operators[operator]
}

const properties: Readonly<Record<string, string>> = {
  due_at: t('due date'),
  start_at: t('start date'),
  'creator.id': t('creator'),
  teams: t('team of the assignee'),
}

export function propertyWords(property: string, { fieldName }: Names): string {
  if (isCustom(property)) return fieldName(property.slice('custom_fields.'.length))
  return properties[property] ?? inSentence(inWords(property))
}

export function chipWords(chip: Chip, names: Names): string {
  if (!isTest(chip)) return chip.formula
  const values = chip.values.map((each) => valueWords(chip.property, each, names))
  return t('its {propertyWords} {operatorWords}{value}', {
    propertyWords: propertyWords(chip.property, names),
    operatorWords: operatorWords(chip),
    value: values.length > 0 ? ` ${oneOf(values)}` : '',
  })
}

function valueWords(property: string, value: ChipValue, { nameOf, optionName }: Names): string {
  if (typeof value === 'boolean') return value ? t('yes') : t('no')
  if (typeof value === 'number') return String(value)
  if (property === 'status' || property === 'priority') return inWords(value)
  if (property === 'labels' || property === 'title') return quoted(value)
  return isCustom(property) ? optionName(property.slice('custom_fields.'.length), value) : nameOf(value)
}

/** What a step does: "assign it to Ada Lovelace". */
export function stepWords({ type, config }: NodeDraft, names: Names): string {
  const words = (path: string) => settingWords(settingAt(config, path), names)
  const text = (path: string) => quoted(cut(words(path)))
  switch (type) {
    case 'task.comment':
      return t('comment {text}', { text: text('body') })
    case 'task.assign':
      return config.assignee === null
        ? t('take its assignee away')
        : t('assign it to {words}', { words: words('assignee') })
    case 'task.label':
      return labelWords(config, names)
    case 'task.update':
      return t('set {setWords}', { setWords: setWords(config.set, names) })
    case 'task.move':
      return t('move it to {words}', { words: words(config.column === undefined ? 'project' : 'column') })
    case 'task.complete':
      return t('complete it')
    case 'task.create':
      return t('create the task {text}', { text: text('set.title') })
    case 'task.create_many':
      return manyWords(config, names)
    case 'task.update_many':
      return t('set {changes} for {tasks}', {
        changes: setWords(config.set, names, 'the'),
        tasks: tasksWords(config, names),
      })
    case 'task.update_parent':
      return t('set {changes} for {tasks}', {
        changes: setWords(config.set, names, 'the'),
        tasks: isSubject(config.task) ? t('its parent') : t('the parent of {words}', { words: words('task') }),
      })
    case 'task.create_from_template':
      return t('create a task from the template {words}', { words: words('template') })
    case 'delay':
      return t('wait {amount}', {
        amount: typeof config.seconds === 'number' ? amountOf(config.seconds) : words('seconds'),
      })
    case 'wait_until':
      return t('wait until {words}', { words: words('at') })
    case 'approval.wait':
      return t('ask {people} to approve {text}', { people: listWords(config.people, names, oneOf), text: text('text') })
    case 'http.request':
      return t('call {words}', { words: words('url') })
    case 'chat.post':
      return t('post to the chat {words}: {text}', { words: words('secret'), text: text('text') })
    case 'mail.send':
      return t('mail {people}: {text}', { people: listWords(config.to, names, allOf), text: text('subject') })
    case 'flow.call':
      return t('call the flow {words}', { words: words('flow') })
    case 'ai.step':
      return t('ask a model {text}', { text: text('instructions') })
    default:
      return inSentence(kindOf(type).title)
  }
}

/** "Ada Lovelace or the assignee of the task". */
function listWords(people: unknown, names: Names, row: (words: Iterable<string>) => string): string {
  const each = Array.isArray(people) ? people.map((one) => settingWords(one, names)) : []
  return each.length === 0 ? '…' : row(each)
}

function labelWords({ add, remove }: NodeDraft['config'], names: Names): string {
  const parts = [
    Array.isArray(add) && add.length > 0 ? addWords(add.length, settingWords(add, names)) : '',
    Array.isArray(remove) && remove.length > 0 ? removeWords(remove.length, settingWords(remove, names)) : '',
  ].filter(Boolean)
  return parts.length === 0 ? t('change no label') : allOf(parts)
}

const isSubject = (task: unknown) => task === undefined || task === '$subject'

/** Which tasks a step changes: "all its subtasks where status is To do". */
function tasksWords({ query, parent }: NodeDraft['config'], names: Names): string {
  const filter = typeof query === 'string' && query !== '' ? names.filterWords(query) : '…'
  if (parent === undefined || parent === null) return t('all tasks where {filter}', { filter })
  const of = isSubject(parent) ? null : settingWords(parent, names)
  if (of === null) return query === undefined ? t('all its subtasks') : t('all its subtasks where {filter}', { filter })
  return query === undefined
    ? t('all subtasks of {of}', { of })
    : t('all subtasks of {of} where {filter}', { of, filter })
}

/** "create the subtasks “Notes” and “Tag”", or a task for each item of a list. */
function manyWords({ parent, tasks, items, set }: NodeDraft['config'], names: Names): string {
  const isSub = parent !== undefined && parent !== null
  const created =
    items === undefined
      ? listedWords(tasks, isSub, names)
      : eachWords(settingAt({ set }, 'set.title'), items, isSub, names)
  return isSub && !isSubject(parent)
    ? t('{created} under {parent}', { created, parent: settingWords(parent, names) })
    : created
}

function listedWords(tasks: unknown, isSub: boolean, names: Names): string {
  const titles = (Array.isArray(tasks) ? tasks : []).map((each: { title?: unknown }) =>
    settingWords(each?.title, names),
  )
  const count = Math.max(titles.length, 1)
  const named = cut(titles.length === 0 ? '…' : allOf(titles.map(quoted)))
  return isSub
    ? t('{count, plural, one {create the subtask {named}} other {create the subtasks {named}}}', { count, named })
    : t('{count, plural, one {create the task {named}} other {create the tasks {named}}}', { count, named })
}

/** Lists whose items a step goes through. */
const lists: Readonly<Record<string, string>> = {
  'task.labels': t('the labels of the task'),
  'task.blocks': t('the tasks that it blocks'),
  'task.blocked_by': t('the tasks that block it'),
}

function eachWords(titled: unknown, items: unknown, isSub: boolean, names: Names): string {
  const list = lists[formulaOf(items)?.trim() ?? ''] ?? settingWords(items, names)
  if (formulaOf(titled)?.trim() === 'item') {
    return isSub
      ? t('create a subtask named after each of {list}', { list })
      : t('create a task named after each of {list}', { list })
  }
  const title = cut(settingWords(titled, names))
  return isSub
    ? t('create a subtask “{title}” for each of {list}', { title, list })
    : t('create a task “{title}” for each of {list}', { title, list })
}

function addWords(count: number, labels: string): string {
  return t('{count, plural, one {add the label {labels}} other {add the labels {labels}}}', { count, labels })
}

function removeWords(count: number, labels: string): string {
  return t('{count, plural, one {remove the label {labels}} other {remove the labels {labels}}}', { count, labels })
}

/** "its priority to High"; `the` where several tasks are meant, or another one. */
function setWords(set: unknown, names: Names, whose: 'its' | 'the' = 'its'): string {
  const entries = Object.entries(typeof set === 'object' && set !== null ? set : {}).flatMap(([key, value]) =>
    key === 'custom_fields' && typeof value === 'object' && value !== null
      ? Object.entries(value).map(([field, each]) => [`custom_fields.${field}`, each] as const)
      : [[key, value] as const],
  )
  if (entries.length === 0) return t('nothing')
  return allOf(
    entries.map(([key, value]) => {
      const isWord = key === 'status' || key === 'priority'
      const said = isWord && typeof value === 'string' ? inWords(value) : cut(settingWords(value, names))
      const values = { propertyWords: propertyWords(key, names), said }
      return whose === 'its' ? t('its {propertyWords} to {said}', values) : t('the {propertyWords} to {said}', values)
    }),
  )
}

/** A value of a setting: a name, a text, a formula in words where it has some. */
export function settingWords(value: unknown, names: Names): string {
  if (value === undefined || value === '') return '…'
  if (value === null) return t('none')
  if (typeof value === 'boolean') return value ? t('yes') : t('no')
  if (typeof value === 'number') return value > 1e9 ? moment().format(value * 1000) : String(value)
  if (Array.isArray(value)) return allOf(value.map((each) => settingWords(each, names)))
  const formula = formulaOf(value)
  if (formula !== undefined) return formulaWords(formula)
  return typeof value === 'object' ? readableText(textOf(value)) : names.nameOf(String(value))
}

const formulas: Readonly<Record<string, string>> = {
  'task.creator.id': t('who created the task'),
  'task.assignee': t('the assignee of the task'),
  'event.actor.id': t('who caused it'),
}

export function formulaWords(formula: string): string {
  return formulas[formula.trim()] ?? momentText(formula) ?? formula
}

/** In the quotation marks of the language. */
function quoted(text: string): string {
  return t('“{text}”', { text })
}

/** Readers get the beginning; the card has all. */
function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > chars_max ? `${line.slice(0, chars_max - 1)}…` : line
}
