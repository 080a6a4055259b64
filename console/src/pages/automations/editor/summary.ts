/** A node in one line, as its card shows it: "Priority high, status in review". */
import { inWords } from '../../../design/words.ts'
import { t } from '../../../language/index.ts'
import { describeTrigger } from '../trigger-text.ts'
import { type NodeDraft, settingAt } from './graph.ts'
import { kindOf } from './kinds.ts'
import { amountOf } from './values.ts'

export function titleOf(node: NodeDraft): string {
  return node.name ?? kindOf(node.type).title
}

/** Words for what settings hold. */
export interface CardWords {
  /** People, projects, columns by their ids. */
  readonly nameOf: (id: string) => string
  /** A filter as a part of a sentence. */
  readonly filterWords: (filter: string) => string
}

const chars_max = 90

export function summaryOf(node: NodeDraft, words: CardWords): string {
  if (node.type.startsWith('trigger.')) return cut(sentence(describeTrigger(node)) + tasksOf(node, words))
  const shown = kindOf(node.type)
    .fields.filter(
      ({ path, kind }) =>
        kind !== 'json' &&
        kind !== 'call_inputs' &&
        kind !== 'task_source' &&
        path !== 'task' &&
        settingAt(node.config, path) !== undefined,
    )
    .map((field) => {
      const value = valueText(settingAt(node.config, field.path), field.kind, words)
      if (field.kind === 'parent' && value === '$subject')
        return t('{label}: the task of the run', { label: field.label })
      return field.required ? value : `${field.label}: ${value}`
    })
  return cut(shown.filter(Boolean).join(' · '))
}

/** The tasks for which a schedule starts the flow. */
function tasksOf({ config }: NodeDraft, words: CardWords): string {
  const { task_query } = config
  if (typeof task_query !== 'string' || task_query === '') return ''
  return t(', for each task where {filter}', { filter: words.filterWords(task_query) })
}

function valueText(value: unknown, kind: string, words: CardWords): string {
  if (value === null) return t('none')
  if (typeof value === 'boolean') return value ? t('yes') : t('no')
  if (typeof value === 'number') return kind === 'duration' ? amountOf(value) : String(value)
  if (typeof value === 'string') {
    if (kind === 'filter') return words.filterWords(value)
    return kind === 'status' || kind === 'priority' || kind === 'choice' ? inWords(value) : words.nameOf(value)
  }
  if (Array.isArray(value)) return value.map((each) => valueText(each, kind, words)).join(', ')
  if (typeof value === 'object') {
    const { $expr, $template, port, expr, title } = value as Record<string, unknown>
    if (kind === 'task_list') return valueText(title, 'text', words)
    if (port !== undefined) return `${inWords(String(port))}: ${String(expr ?? '')}`
    return String($template ?? $expr ?? '')
  }
  return ''
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function cut(text: string): string {
  return text.length > chars_max ? `${text.slice(0, chars_max - 1)}…` : text
}
