/** Triggers in words. */

import { lookUp, t } from '../../language/index.ts'
import { oneOf } from '../../language/lists.ts'
import { amountOf } from './editor/values.ts'
import { scheduleText } from './sentence/schedule.ts'

/** One trigger: "when a task is completed". */
export function describeTrigger(node: { readonly type: string; readonly config: object }): string {
  const config = node.config as {
    readonly event_types?: readonly string[]
    readonly cron?: string
    readonly timezone?: string
    readonly offset_seconds?: number
  }
  if (node.type === 'trigger.event')
    return t('when {map}', { map: oneOf((config.event_types ?? []).map(describeEvent)) })
  if (node.type === 'trigger.schedule') return scheduleText(config.cron ?? '', config.timezone ?? 'UTC')
  if (node.type === 'trigger.form') return t('when a form is sent')
  if (node.type === 'trigger.mail') return t('when mail is received')
  if (node.type === 'trigger.call') return t('when another flow calls it')
  if (node.type === 'trigger.webhook') return t('when a webhook is received')
  return node.type === 'trigger.due' ? dueText(config.offset_seconds ?? 0) : t('by hand')
}

function dueText(offset: number): string {
  return offset === 0
    ? t('when a task is due')
    : offset < 0
      ? t('{amount} before a task is due', { amount: amountOf(offset) })
      : t('{amount} after a task is due', { amount: amountOf(offset) })
}

/** `workflow.time_entry.started` reads "a time entry is started". */
export function describeEvent(type: string): string {
  const [, name = '', action = ''] = type.split('.').map((part) => part.replaceAll('_', ' '))
  const values = { noun: lookUp(name), verb: lookUp(action) }
  return /^[aeiou]/.test(name) ? t('an {noun} is {verb}', values) : t('a {noun} is {verb}', values)
}
