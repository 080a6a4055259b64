/** The address of a flow for incoming webhooks, with buttons to copy and to replace it. */
import type { AutomationFlow } from '@atrium/sdk'
import { t } from '../../language/index.ts'
import { FlowAddress } from './flow-address.tsx'

export function hasHook({ graph }: Pick<AutomationFlow, 'graph'>): boolean {
  return graph.nodes.some(({ type }) => type === 'trigger.webhook')
}

export function HookSection({ flow }: { readonly flow: AutomationFlow }) {
  const state =
    flow.status === 'active'
      ? t('Requests sent here by POST start a run.')
      : t('Requests get 404 until the flow is active.')
  const secrecy = isSigned(flow)
    ? t('They must be signed.')
    : t('Anyone who knows the address can start runs: keep it secret.')
  return (
    <FlowAddress
      flow={flow}
      title={t('Address')}
      noun="automation_hook"
      read={(atrium) => atrium.automationFlows.hook(flow.id)}
      replace={(atrium) => atrium.automationFlows.replaceHook(flow.id)}
      none={t('The flow gets an address when it is activated. Other systems send their requests there.')}
      hint={`${state} ${secrecy}`}
      question={t('Replace the address of {name}?', { name: flow.name })}
      warning={t('The present address stops working at once. Every system that uses it needs the new one.')}
    />
  )
}

function isSigned({ graph }: AutomationFlow): boolean {
  return graph.nodes.some((node) => node.type === 'trigger.webhook' && node.config.secret !== undefined)
}
