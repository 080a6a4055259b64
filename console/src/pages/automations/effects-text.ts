/** The effects of recent runs in words: "It would have run 12 times, changed 9 tasks, and called 2 addresses." */
import type { AutomationEffects } from '@atrium/sdk'

const list = new Intl.ListFormat('en', { type: 'conjunction' })

export function effectsText(effects: AutomationEffects): string {
  const { runs, failed, tasks_changed, tasks_created, comments_created, calls, is_complete } = effects
  if (runs === 0) return 'Nothing in the last 7 days would have started it.'
  // Two nodes that call one address are one address; a computed address counts by its node.
  const addresses = new Set(calls.map(({ node, address }) => address ?? node)).size
  const parts = [
    `run ${runs === 1 ? 'once' : `${runs} times`}`,
    ...said(tasks_changed, 'changed', 'task'),
    ...said(tasks_created, 'created', 'task'),
    ...said(comments_created, 'written', 'comment'),
    ...(addresses === 0 ? [] : [`called ${addresses} ${addresses === 1 ? 'address' : 'addresses'}`]),
  ]
  const since = is_complete ? 'In the last 7 days' : 'In its latest runs'
  const failing = failed === 0 ? '' : ` ${failed === 1 ? 'One run' : `${failed} runs`} would have failed.`
  return `${since} it would have ${list.format(parts)}.${failing} Tasks are taken as they are now.`
}

function said(count: number, verb: string, noun: string): readonly string[] {
  return count === 0 ? [] : [`${verb} ${count} ${noun}${count === 1 ? '' : 's'}`]
}
