/** How flows and runs are told. */
import type { AutomationFlow, AutomationRun } from '@atrium/sdk'
import { Badge, type Tone } from '../../design/index.ts'

const flow_tones: Readonly<Record<string, Tone>> = { active: 'good', paused: 'warn', draft: 'neutral' }

export function FlowStatus({ flow }: { readonly flow: AutomationFlow }) {
  return (
    <span className="row">
      <Badge tone={flow_tones[flow.status] ?? 'neutral'} dot>
        {flow.status}
      </Badge>
      {flow.mode === 'shadow' && <Badge tone="violet">shadow</Badge>}
    </span>
  )
}

const run_tones: Readonly<Record<string, Tone>> = {
  succeeded: 'good',
  failed: 'bad',
  canceled: 'neutral',
  skipped: 'neutral',
  running: 'info',
  queued: 'info',
  sleeping: 'violet',
  retrying: 'warn',
}

export function RunStatus({ status }: Pick<AutomationRun, 'status'>) {
  return (
    <Badge tone={run_tones[status] ?? 'neutral'} dot>
      {status}
    </Badge>
  )
}

export const open_states: ReadonlySet<string> = new Set(['queued', 'running', 'sleeping', 'retrying'])

/** What begins a flow's runs. */
export function triggersOf({ graph }: AutomationFlow): string {
  return graph.nodes
    .filter(({ type }) => type.startsWith('trigger.'))
    .map(describeTrigger)
    .join(', ')
}

function describeTrigger(node: AutomationFlow['graph']['nodes'][number]): string {
  const config = node.config as {
    readonly event_types?: readonly string[]
    readonly cron?: string
    readonly timezone?: string
  }
  if (node.type === 'trigger.event') return `when ${config.event_types?.join(' or ') ?? 'something happens'}`
  if (node.type === 'trigger.schedule') return `at ${config.cron} (${config.timezone ?? 'UTC'})`
  if (node.type === 'trigger.due') return 'around due dates'
  return 'by hand'
}
