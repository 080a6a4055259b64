/** Flows and runs in words: triggers, kinds of steps, reasons, permissions. */
import type { AutomationFlow } from '@atrium/sdk'
import { Badge, inWords, StatusBadge } from '../../design/index.ts'
import { lookUp, t } from '../../language/index.ts'
import { allOf, oneOf } from '../../language/lists.ts'
import { describeTrigger } from './trigger-text.ts'

export function FlowStatus({ flow }: { readonly flow: AutomationFlow }) {
  return (
    <span className="row flow-status">
      <StatusBadge status={flow.status} />
      {flow.status === 'active' && flow.authority?.status === 'ended' && (
        <Badge tone="bad">{t('No permissions')}</Badge>
      )}
      {flow.mode === 'shadow' && <Badge tone="violet">{t('Shadow')}</Badge>}
    </span>
  )
}

/** Statuses of runs that have not ended. */
export const open_statuses: ReadonlySet<string> = new Set(['queued', 'running', 'sleeping', 'retrying'])

/** What starts a flow: "when a task is completed", "every Monday at 08:00 (Europe/Berlin)". */
export function triggerText({ graph }: AutomationFlow): string {
  const triggers = graph.nodes.filter(({ type }) => type.startsWith('trigger.'))
  return oneOf(triggers.map(describeTrigger))
}

/** `tasks:read`, `comments:write` read "read tasks and write comments". */
export function permissionsText(scopes: readonly string[]): string {
  const permissions = scopes.map((scope) => {
    const [noun = '', verb = ''] = scope.split(':')
    const what = noun === 'api' ? t('the organization') : lookUp(noun.replaceAll('_', ' '))
    if (verb === 'read') return t('read {what}', { what })
    return verb === 'write' ? t('write {what}', { what }) : `${lookUp(verb)} ${what}`
  })
  return allOf(permissions)
}

const reasons: Readonly<Record<string, string>> = {
  hourly_limit: t('The flow reached its limit of runs per hour.'),
  queue_full: t('Too many runs of this flow were waiting.'),
  concurrency: t('Another run of this flow was in progress.'),
  superseded: t('A newer run replaced it.'),
  reentry: t('The flow was triggered by its own changes.'),
  depth_exceeded: t('The flow was triggered by a chain of too many flows.'),
  trigger_failed: t('The condition of the trigger could not be evaluated.'),
  flow_paused: t('The flow was paused or activated again before this run started.'),
  canceled: t('The run was canceled.'),
  shadow: t('Not carried out: the flow runs in shadow mode.'),
}

/** Why a run or a step ended as it did. Reasons that are sentences already stay as they are. */
export function reasonText(reason: string): string {
  const failure = /^Would fail \([a-z_]+\): ([\s\S]+)$/.exec(reason)?.[1]
  if (failure !== undefined) return t('Would fail: {message}', { message: failure })
  return reasons[reason] ?? (/^[a-z_]+$/.test(reason) ? inWords(reason) : reason)
}
