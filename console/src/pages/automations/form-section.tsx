/** The address of a flow's form, with buttons to copy, to open and to replace it. */
import './automations.css'
import type { AutomationFlow } from '@atrium/sdk'
import { ExternalLink, RefreshCw } from 'lucide-react'
import { ConfirmButton } from '../../app/confirm-button.tsx'
import { ErrorState } from '../../app/error-state.tsx'
import { hasErrorCode, useObject, useWrite } from '../../data/index.ts'
import { ButtonLink, CopyText, Section, Skeleton } from '../../design/index.ts'
import { t } from '../../language/index.ts'

export function hasForm({ graph }: Pick<AutomationFlow, 'graph'>): boolean {
  return graph.nodes.some(({ type }) => type === 'trigger.form')
}

export function FormSection({ flow }: { readonly flow: AutomationFlow }) {
  return (
    <Section title={t('Form')}>
      <div className="flow-address">{flow.version === 0 ? <NoAddress /> : <Address flow={flow} />}</div>
    </Section>
  )
}

function NoAddress() {
  return (
    <p className="muted">
      {t('The form gets an address when the flow is activated. People need no account to fill it in.')}
    </p>
  )
}

function Address({ flow }: { readonly flow: AutomationFlow }) {
  // A flow that was activated before it had the trigger gets its address with the next version.
  const form = useObject('automation_form', flow.id, (atrium) => atrium.automationFlows.form(flow.id), {
    params: { version: flow.version },
  })
  const write = useWrite({
    write: (atrium, _: null) => atrium.automationFlows.replaceForm(flow.id),
    invalidates: ['automation_form'],
    done: () => t('Address replaced'),
    waits: false,
    toastErrors: false,
  })
  if (form.data === undefined) {
    if (form.error === null) return <Skeleton />
    if (hasErrorCode(form.error, 'resource_not_found')) return <NoAddress />
    return <ErrorState error={form.error} onRetry={() => void form.refetch()} plain />
  }
  const { url, secret } = form.data
  return (
    <div className="stack">
      <CopyText text={url} />
      <p className="muted">
        {flow.status === 'active'
          ? t('Anyone with this address can send the form, without an account.')
          : t('The page says that the form is closed until the flow is active.')}
      </p>
      <div className="row">
        <ButtonLink icon={ExternalLink} to={url} external>
          {t('Open form')}
        </ButtonLink>
        {/* The dialog closes when the new address is there. */}
        <ConfirmButton
          key={secret}
          action={t('Replace')}
          icon={RefreshCw}
          title={t('Replace the address of the form of {name}?', { name: flow.name })}
          write={write}
          run={() => write.run(null)}
          onDone={() => {}}
        >
          {t('The present address stops working at once. Everyone who fills in the form needs the new one.')}
        </ConfirmButton>
      </div>
    </div>
  )
}
