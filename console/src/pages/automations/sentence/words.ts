/** A sentence in words, with names instead of ids: what a person reads before anything is opened. */
import { capitalized, inWords } from '../../../design/words.ts'
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
}

const and = new Intl.ListFormat('en', { type: 'conjunction' })
const or = new Intl.ListFormat('en', { type: 'disjunction' })
const chars_max = 160

export function sentenceText({ when, steps }: Sentence, names: Names): string {
  const start = or.format(when.map((trigger) => triggerWords(trigger, names)))
  let isAction = false
  const rest = steps.map((node) => {
    if (node.type !== 'condition') {
      isAction = true
      return `, then ${stepWords(node, names)}`
    }
    const word = isAction ? ', then only if' : ' and'
    isAction = false
    return `${word} ${conditionWords(node.config.expr, names)}`
  })
  return `${capitalized(start)}${rest.join('')}.`
}

/** "when the status of a task changes and its status is in review". */
export function triggerWords(node: NodeDraft, names: Names): string {
  const { when, task_query } = node.config
  const start = startOf(node)
  const words = node.type === 'trigger.event' && start.id !== 'event' ? `when ${start.label}` : describeTrigger(node)
  const fields = start.id === 'event' ? changedWords(node.config.changed_fields, names) : ''
  const each = typeof task_query === 'string' ? `, for each task with ${task_query}` : ''
  return `${words}${fields}${each}${when === undefined ? '' : ` and ${conditionWords(when, names)}`}`
}

function changedWords(fields: unknown, names: Names): string {
  if (!Array.isArray(fields) || fields.length === 0) return ''
  return ` and ${or.format(fields.map((field) => propertyWords(String(field), names)))} changed`
}

export function conditionWords(expr: unknown, names: Names): string {
  const chips = chipsOf(String(expr ?? ''))
  return chips.length === 0 ? 'always' : and.format(chips.map((chip) => chipWords(chip, names)))
}

const operators: Readonly<Record<Operator, string>> = {
  is: 'is',
  is_not: 'is not',
  has: 'contains',
  has_not: 'does not contain',
  set: 'is set',
  not_set: 'is not set',
  more: 'is more than',
  less: 'is less than',
  past: 'has passed',
}

export function operatorWords({ property, operator, root }: Pick<Test, 'property' | 'operator' | 'root'>): string {
  if (property === 'labels' || (isCustom(property) && operator.startsWith('has')))
    return operator === 'has' ? 'include' : 'do not include'
  return root === 'before' ? operators[operator].replace(/^is\b/, 'was') : operators[operator]
}

const properties: Readonly<Record<string, string>> = {
  due_at: 'due date',
  start_at: 'start date',
  'creator.id': 'creator',
}

export function propertyWords(property: string, { fieldName }: Names): string {
  if (isCustom(property)) return fieldName(property.slice('custom_fields.'.length))
  return properties[property] ?? inWords(property).toLowerCase()
}

export function chipWords(chip: Chip, names: Names): string {
  if (!isTest(chip)) return chip.formula
  const values = chip.values.map((each) => valueWords(chip.property, each, names))
  return `its ${propertyWords(chip.property, names)} ${operatorWords(chip)}${values.length > 0 ? ` ${or.format(values)}` : ''}`
}

export function valueWords(property: string, value: ChipValue, { nameOf, optionName }: Names): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return String(value)
  if (property === 'status' || property === 'priority') return inWords(value)
  if (property === 'labels' || property === 'title') return `“${value}”`
  return isCustom(property) ? optionName(property.slice('custom_fields.'.length), value) : nameOf(value)
}

/** What a step does: "assign it to Ada Lovelace". */
export function stepWords({ type, config }: NodeDraft, names: Names): string {
  const words = (path: string) => settingWords(settingAt(config, path), names)
  const text = (path: string) => `“${cut(words(path))}”`
  switch (type) {
    case 'task.comment':
      return `comment ${text('body')}`
    case 'task.assign':
      return config.assignee === null ? 'take its assignee away' : `assign it to ${words('assignee')}`
    case 'task.label':
      return labelWords(config, names)
    case 'task.update':
      return `set ${setWords(config.set, names)}`
    case 'task.move':
      return `move it to ${words(config.column === undefined ? 'project' : 'column')}`
    case 'task.complete':
      return 'complete it'
    case 'task.create':
      return `create the task ${text('set.title')}`
    case 'task.create_from_template':
      return `create a task from the template ${words('template')}`
    case 'delay':
      return `wait ${typeof config.seconds === 'number' ? amountOf(config.seconds) : words('seconds')}`
    case 'wait_until':
      return `wait until ${words('at')}`
    case 'http.request':
      return `call ${words('url')}`
    case 'chat.post':
      return `post to the chat ${words('secret')}: ${text('text')}`
    case 'ai.step':
      return `ask a model ${text('instructions')}`
    default:
      return kindOf(type).title.toLowerCase()
  }
}

function labelWords({ add, remove }: NodeDraft['config'], names: Names): string {
  const parts = [
    Array.isArray(add) && add.length > 0 ? `add ${count('label', add.length)} ${settingWords(add, names)}` : '',
    Array.isArray(remove) && remove.length > 0
      ? `remove ${count('label', remove.length)} ${settingWords(remove, names)}`
      : '',
  ].filter(Boolean)
  return parts.length === 0 ? 'change no label' : and.format(parts)
}

function count(noun: string, number: number): string {
  return number === 1 ? `the ${noun}` : `the ${noun}s`
}

function setWords(set: unknown, names: Names): string {
  const entries = Object.entries(typeof set === 'object' && set !== null ? set : {}).flatMap(([key, value]) =>
    key === 'custom_fields' && typeof value === 'object' && value !== null
      ? Object.entries(value).map(([field, each]) => [`custom_fields.${field}`, each] as const)
      : [[key, value] as const],
  )
  if (entries.length === 0) return 'nothing'
  return and.format(
    entries.map(([key, value]) => {
      const isWord = key === 'status' || key === 'priority'
      const said = isWord && typeof value === 'string' ? inWords(value) : cut(settingWords(value, names))
      return `its ${propertyWords(key, names)} to ${said}`
    }),
  )
}

/** A value of a setting: a name, a text, a formula in words where it has some. */
export function settingWords(value: unknown, names: Names): string {
  if (value === undefined || value === '') return '…'
  if (value === null) return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return value > 1e9 ? new Date(value * 1000).toLocaleString('en-GB') : String(value)
  if (Array.isArray(value)) return and.format(value.map((each) => settingWords(each, names)))
  const formula = formulaOf(value)
  if (formula !== undefined) return formulaWords(formula)
  return typeof value === 'object' ? readableText(textOf(value)) : names.nameOf(String(value))
}

const formulas: Readonly<Record<string, string>> = {
  'task.creator.id': 'who created the task',
  'task.assignee': 'the assignee of the task',
  'event.actor.id': 'who caused it',
}

export function formulaWords(formula: string): string {
  return formulas[formula.trim()] ?? momentText(formula) ?? formula
}

/** Readers get the beginning; the card has all. */
function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > chars_max ? `${line.slice(0, chars_max - 1)}…` : line
}
