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

/** Names for the ids in settings: people, projects, columns. */
export type NameOf = (id: string) => string

const chars_max = 90

export function summaryOf(node: NodeDraft, nameOf: NameOf): string {
  if (node.type.startsWith('trigger.')) return cut(sentence(describeTrigger(node)))
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
      const value = valueText(settingAt(node.config, field.path), field.kind, nameOf)
      if (field.kind === 'parent' && value === '$subject')
        return t('{label}: the task of the run', { label: field.label })
      return field.required ? value : `${field.label}: ${value}`
    })
  return cut(shown.filter(Boolean).join(' · '))
}

function valueText(value: unknown, kind: string, nameOf: NameOf): string {
  if (value === null) return t('none')
  if (typeof value === 'boolean') return value ? t('yes') : t('no')
  if (typeof value === 'number') return kind === 'duration' ? amountOf(value) : String(value)
  if (typeof value === 'string')
    return kind === 'status' || kind === 'priority' || kind === 'choice' ? inWords(value) : nameOf(value)
  if (Array.isArray(value)) return value.map((each) => valueText(each, kind, nameOf)).join(', ')
  if (typeof value === 'object') {
    const { $expr, $template, port, expr, title } = value as Record<string, unknown>
    if (kind === 'task_list') return valueText(title, 'text', nameOf)
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
