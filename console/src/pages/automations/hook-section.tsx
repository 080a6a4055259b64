/** The address of a flow for incoming webhooks, with buttons to copy and to replace it. */
import './automations.css'
import type { AutomationFlow } from '@atrium/sdk'
import { RefreshCw } from 'lucide-react'
import { ConfirmButton } from '../../app/confirm-button.tsx'
import { ErrorState } from '../../app/error-state.tsx'
import { hasErrorCode, useObject, useWrite } from '../../data/index.ts'
import { CopyText, Section, Skeleton } from '../../design/index.ts'
import { t } from '../../language/index.ts'

export function hasHook({ graph }: Pick<AutomationFlow, 'graph'>): boolean {
  return graph.nodes.some(({ type }) => type === 'trigger.webhook')
}

export function HookSection({ flow }: { readonly flow: AutomationFlow }) {
  return (
    <Section title={t('Address')}>
      <div className="flow-address">{flow.version === 0 ? <NoAddress /> : <Address flow={flow} />}</div>
    </Section>
  )
}

function NoAddress() {
  return (
    <p className="muted">
      {t('The flow gets an address when it is activated. Other systems send their requests there.')}
    </p>
  )
}

function Address({ flow }: { readonly flow: AutomationFlow }) {
  // A flow that was activated before it had the trigger gets its address with the next version.
  const hook = useObject('automation_hook', flow.id, (atrium) => atrium.automationFlows.hook(flow.id), {
    params: { version: flow.version },
  })
  const write = useWrite({
    write: (atrium, _: null) => atrium.automationFlows.replaceHook(flow.id),
    invalidates: ['automation_hook'],
    done: () => t('Address replaced'),
    waits: false,
    toastErrors: false,
  })
  if (hook.data === undefined) {
    if (hook.error === null) return <Skeleton />
    if (hasErrorCode(hook.error, 'resource_not_found')) return <NoAddress />
    return <ErrorState error={hook.error} onRetry={() => void hook.refetch()} plain />
  }
  const state =
    flow.status === 'active'
      ? t('Requests sent here by POST start a run.')
      : t('Requests get 404 until the flow is active.')
  return (
    <div className="stack">
      <CopyText text={hook.data.url} />
      <p className="muted">
        {state}{' '}
        {isSigned(flow) ? t('They must be signed.') : t('Anyone who knows the address can start runs: keep it secret.')}
      </p>
      <div>
        {/* The dialog closes when the new address is there. */}
        <ConfirmButton
          key={hook.data.secret}
          action={t('Replace')}
          icon={RefreshCw}
          title={t('Replace the address of {name}?', { name: flow.name })}
          write={write}
          run={() => write.run(null)}
          onDone={() => {}}
        >
          {t('The present address stops working at once. Every system that uses it needs the new one.')}
        </ConfirmButton>
      </div>
    </div>
  )
}

function isSigned({ graph }: AutomationFlow): boolean {
  return graph.nodes.some((node) => node.type === 'trigger.webhook' && node.config.secret !== undefined)
}
