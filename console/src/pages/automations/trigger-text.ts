/** Triggers in words. */
export const alternatives = new Intl.ListFormat('en', { type: 'disjunction' })

/** One trigger: "when a task is completed". */
export function describeTrigger(node: { readonly type: string; readonly config: object }): string {
  const config = node.config as {
    readonly event_types?: readonly string[]
    readonly cron?: string
    readonly timezone?: string
  }
  if (node.type === 'trigger.event') return `when ${alternatives.format((config.event_types ?? []).map(describeEvent))}`
  if (node.type === 'trigger.schedule') return `${scheduleText(config.cron ?? '')} (${config.timezone ?? 'UTC'})`
  return node.type === 'trigger.due' ? 'around due dates' : 'by hand'
}

/** `workflow.time_entry.started` reads "a time entry is started". */
function describeEvent(type: string): string {
  const [, noun = '', verb = ''] = type.split('.').map((part) => part.replaceAll('_', ' '))
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun} is ${verb}`
}

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

/** Daily and weekly schedules in words, any other as its cron expression. */
function scheduleText(cron: string): string {
  const daily = /^(\d{1,2}) (\d{1,2}) \* \* (\*|[0-7]|1-5)$/.exec(cron.trim())
  if (daily === null) return `on the schedule ${cron}`
  const [, minute = '', hour = '', days = ''] = daily
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
  if (days === '*') return `every day at ${time}`
  return days === '1-5' ? `on weekdays at ${time}` : `every ${weekdays[Number(days)]} at ${time}`
}
