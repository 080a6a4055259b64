/** The effects of recent runs in words: "It would have run 12 times, changed 9 tasks, and called 2 addresses." */
import type { AutomationEffects } from '@atrium/sdk'
import { t } from '../../language/index.ts'
import { allOf } from '../../language/lists.ts'

export function effectsText(effects: AutomationEffects): string {
  const { runs, failed, tasks_changed, tasks_created, comments_created, calls, is_complete } = effects
  if (runs === 0) return t('Nothing in the last 7 days would have started it.')
  // Two nodes that call one address are one address; a computed address counts by its node.
  const addresses = new Set(calls.map(({ node, automation_flow, address }) => address ?? `${automation_flow} ${node}`))
    .size
  const parts = [
    t('{runs, plural, one {run once} other {run # times}}', { runs }),
    tasks_changed > 0 && t('{count, plural, one {changed # task} other {changed # tasks}}', { count: tasks_changed }),
    tasks_created > 0 && t('{count, plural, one {created # task} other {created # tasks}}', { count: tasks_created }),
    comments_created > 0 &&
      t('{count, plural, one {written # comment} other {written # comments}}', { count: comments_created }),
    addresses > 0 && t('{count, plural, one {called # address} other {called # addresses}}', { count: addresses }),
  ].filter((part) => part !== false)
  const since = is_complete ? t('In the last 7 days') : t('In its latest runs')
  const failing =
    failed === 0 ? '' : t(' {failed, plural, one {One run} other {# runs}} would have failed.', { failed })
  return t('{since} it would have {parts}.{failing} Tasks are taken as they are now.', {
    since,
    parts: allOf(parts),
    failing,
  })
}
