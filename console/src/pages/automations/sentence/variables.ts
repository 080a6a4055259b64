/**
 * Texts with `@` variables. A text is a list of pieces: plain text, and variables that keep their source as it was written, so a
 * text that is not edited keeps its bytes.
 */

import { t } from '../../../language/index.ts'
import { callInputsOf, labelOfInput } from '../editor/call.ts'
import { formFieldsOf } from '../editor/form-field.ts'
import { isTrigger, type NodeDraft } from '../editor/graph.ts'
import { titleOf } from '../editor/summary.ts'
import { cardsOf, type Sentence, stepsBefore } from './sentence.ts'

export interface Variable {
  /** As it stands in the template: `{{ task.title }}`. */
  readonly source: string
  readonly label: string
  readonly group: string
}

export type Piece = string | { readonly source: string }

const insert = (expression: string) => `{{ ${expression} }}`
/** A mention: the person finds the text in the inbox. Programs show the person's name. */
const mention = (name: string, expression: string) => `[@${name}](atrium:{{ ${expression} }})`

const ofTask: readonly Variable[] = [
  [t('Title'), 'task.title'],
  [t('Key'), 'task.key'],
  [t('Status'), 'task.status'],
  [t('Priority'), 'task.priority'],
  [t('Description'), 'task.description'],
].map(([label = '', expression = '']) => ({ label, source: insert(expression), group: t('Task') }))

const people: readonly Variable[] = [
  { label: t('Who created the task'), source: mention('creator', 'task.creator.id'), group: t('People to notify') },
  { label: t('The assignee'), source: mention('assignee', 'task.assignee'), group: t('People to notify') },
]

const ofEvent: readonly Variable[] = [
  { label: t('Who caused it'), source: mention('actor', 'event.actor.id'), group: t('Start') },
]

const ofRequest: readonly Variable[] = [
  { label: t('Body of the request'), source: insert('request.body'), group: t('Start') },
]

const ofMail: readonly Variable[] = [
  [t('Subject'), 'mail.subject'],
  [t('Text'), 'mail.text'],
  [t('Address of the sender'), 'mail.from'],
  [t('Name of the sender'), 'mail.name'],
].map(([label = '', expression = '']) => ({ label, source: insert(expression), group: t('Mail') }))

/** Not offered: ids and seconds, which only programs read. Texts of the canvas have them. */
const others: readonly Variable[] = [
  [t('Assignee'), 'task.assignee'],
  [t('Creator'), 'task.creator.id'],
  [t('Due date'), 'task.due_at'],
].map(([label = '', expression = '']) => ({ label, source: insert(expression), group: t('Task') }))

const all: readonly Variable[] = [...ofTask, ...people, ...ofEvent, ...ofRequest, ...ofMail, ...others]

/** What a text of this card may insert: its runs have a task, an event, and the steps before it. */
export function variablesFor(sentence: Sentence, card: string): readonly Variable[] {
  const { when } = sentence
  const before = stepsBefore(sentence, card)
  // A chat does not know the people of Atrium, so it cannot notify them.
  const isChat = cardsOf(sentence).some(({ id, type }) => id === card && type === 'chat.post')
  return [
    ...(when.every(runsHaveTask) ? [...ofTask, ...(isChat ? [] : people)] : []),
    ...(when.every(({ type }) => type === 'trigger.event') && !isChat ? ofEvent : []),
    ...(when.every(({ type }) => type === 'trigger.webhook') ? ofRequest : []),
    ...(when.every(({ type }) => type === 'trigger.mail') ? ofMail : []),
    ...(when.every(({ type }) => type === 'trigger.form') ? when.flatMap(answersOf) : []),
    ...(when.every(({ type }) => type === 'trigger.call') ? when.flatMap(inputsOf) : []),
    ...before.flatMap(outputsOf),
  ]
}

/** Events of projects and other objects have no task; a schedule has one if it goes through tasks. */
function runsHaveTask({ type, config }: NodeDraft): boolean {
  if (!isTrigger({ type }) || ['trigger.webhook', 'trigger.form', 'trigger.mail'].includes(type)) return false
  if (type === 'trigger.call') return config.takes_task === true
  if (type === 'trigger.schedule') return config.task_query !== undefined
  if (type !== 'trigger.event') return true
  const events = Array.isArray(config.event_types) ? config.event_types.map(String) : []
  return events.every((each) => /^workflow\.(task|comment|dependency)\.(?!deleted$)/.test(each))
}

/** The answers of a form, by the labels of its fields. */
function answersOf({ config }: NodeDraft): readonly Variable[] {
  return formFieldsOf(config.fields).map(({ key, label }) => ({
    label: label === '' ? key : label,
    source: insert(`form.${key}`),
    group: t('Form'),
  }))
}

/** The inputs that the calling flow gives. */
function inputsOf({ config }: NodeDraft): readonly Variable[] {
  return callInputsOf(config.inputs).map((input) => ({
    label: labelOfInput(input),
    source: insert(`call.${input.key}`),
    group: t('Inputs'),
  }))
}

function outputsOf(node: NodeDraft): readonly Variable[] {
  const of = (label: string, path: string): Variable => {
    return {
      label: t('{label} of “{title}”', { label, title: titleOf(node) }),
      source: insert(`steps.${node.id}.output.${path}`),
      group: t('Earlier steps'),
    }
  }
  if (node.type === 'task.create' || node.type === 'task.create_from_template') {
    return [of(t('Key'), 'task.key'), of(t('Title'), 'task.title')]
  }
  if (node.type === 'flow.call') return [of(t('Output'), 'output'), of(t('Message'), 'message')]
  if (node.type === 'ai.step' && node.config.operation === 'generate') return [of(t('Answer'), 'text')]
  if (node.type === 'ai.step' && node.config.operation === 'classify') return [of(t('Label'), 'label')]
  return []
}

const mention_start = '[@'
const mention_middle = '](atrium:'

/** The texts and variables of a template, in order. A mention whose person is computed is one variable. */
export function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = []
  let from = 0
  for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', from)) {
    const close = endOfExpression(text, open + 2)
    // The server refuses a template in which an expression does not end.
    if (close === null) break
    const start = startOfMention(text, from, open)
    const isMention = start !== null && text[close] === ')'
    const [begin, end] = isMention ? [start, close + 1] : [open, close]
    if (begin > from) pieces.push(text.slice(from, begin))
    pieces.push({ source: text.slice(begin, end) })
    from = end
  }
  return from < text.length ? [...pieces, text.slice(from)] : pieces
}

/** The place after the `}}` that ends an expression; braces in its texts do not count. Null if it does not end. */
function endOfExpression(text: string, from: number): number | null {
  for (let i = from; i < text.length; i++) {
    const char = text[i]
    if (char === "'" || char === '"') {
      i++
      while (i < text.length && text[i] !== char) i += text[i] === '\\' ? 2 : 1
    } else if (text.startsWith('}}', i)) return i + 2
  }
  return null
}

/** The place of `[@name](atrium:` before an expression; null if another text is before it. */
function startOfMention(text: string, from: number, open: number): number | null {
  const before = text.slice(from, open)
  const start = before.lastIndexOf(mention_start)
  if (!before.endsWith(mention_middle) || start < 0) return null
  const name = before.slice(start + mention_start.length, -mention_middle.length)
  return name.includes('[') || name.includes(']') ? null : from + start
}

/** What stands for a variable in the text: its name, or its formula. */
export function labelOf(source: string): string {
  const compact = (each: string) => each.replaceAll(/\s+/g, '')
  const known = all.find((variable) => compact(variable.source) === compact(source))
  if (known !== undefined) return known.label
  if (source.startsWith(mention_start)) return source.slice(mention_start.length, source.indexOf(mention_middle))
  return source.slice(2, -2).trim()
}

/** A template as people read it: `{{ task.title }}` reads "(Title)". */
export function readableText(text: string): string {
  return piecesOf(text)
    .map((piece) => (typeof piece === 'string' ? piece : `(${labelOf(piece.source)})`))
    .join('')
}
