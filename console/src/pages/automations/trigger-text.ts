/** Triggers in words. */
import { amountOf } from './editor/values.ts'
import { scheduleText } from './sentence/schedule.ts'

export const alternatives = new Intl.ListFormat('en', { type: 'disjunction' })

/** One trigger: "when a task is completed". */
export function describeTrigger(node: { readonly type: string; readonly config: object }): string {
  const config = node.config as {
    readonly event_types?: readonly string[]
    readonly cron?: string
    readonly timezone?: string
    readonly offset_seconds?: number
  }
  if (node.type === 'trigger.event') return `when ${alternatives.format((config.event_types ?? []).map(describeEvent))}`
  if (node.type === 'trigger.schedule') return scheduleText(config.cron ?? '', config.timezone ?? 'UTC')
  return node.type === 'trigger.due' ? dueText(config.offset_seconds ?? 0) : 'by hand'
}

function dueText(offset: number): string {
  return offset === 0 ? 'when a task is due' : `${amountOf(offset)} ${offset < 0 ? 'before' : 'after'} a task is due`
}

/** `workflow.time_entry.started` reads "a time entry is started". */
export function describeEvent(type: string): string {
  const [, noun = '', verb = ''] = type.split('.').map((part) => part.replaceAll('_', ' '))
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun} is ${verb}`
}
