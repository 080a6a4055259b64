/** The address of a flow's form, with buttons to copy, to open and to replace it. */
import type { AutomationFlow } from '@atrium/sdk'
import { ExternalLink } from 'lucide-react'
import { ButtonLink } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { FlowAddress } from './flow-address.tsx'

export function hasForm({ graph }: Pick<AutomationFlow, 'graph'>): boolean {
  return graph.nodes.some(({ type }) => type === 'trigger.form')
}

export function FormSection({ flow }: { readonly flow: AutomationFlow }) {
  return (
    <FlowAddress
      flow={flow}
      title={t('Form')}
      noun="automation_form"
      read={(atrium) => atrium.automationFlows.form(flow.id)}
      replace={(atrium) => atrium.automationFlows.replaceForm(flow.id)}
      none={t('The form gets an address when the flow is activated. People need no account to fill it in.')}
      hint={
        flow.status === 'active'
          ? t('Anyone with this address can send the form, without an account.')
          : t('The page says that the form is closed until the flow is active.')
      }
      question={t('Replace the address of the form of {name}?', { name: flow.name })}
      warning={t('The present address stops working at once. Everyone who fills in the form needs the new one.')}
      actions={(url) => (
        <ButtonLink icon={ExternalLink} to={url} external>
          {t('Open form')}
        </ButtonLink>
      )}
    />
  )
}
