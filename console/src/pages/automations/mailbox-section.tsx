/** The address of a flow for mail, with buttons to copy and to replace it. */
import type { AutomationFlow } from '@atrium/sdk'
import { t } from '../../language/index.ts'
import { FlowAddress } from './flow-address.tsx'

export function hasMailbox({ graph }: Pick<AutomationFlow, 'graph'>): boolean {
  return graph.nodes.some(({ type }) => type === 'trigger.mail')
}

export function MailboxSection({ flow }: { readonly flow: AutomationFlow }) {
  return (
    <FlowAddress
      flow={flow}
      title={t('Mail address')}
      noun="automation_mailbox"
      read={(atrium) => atrium.automationFlows.mailbox(flow.id)}
      replace={(atrium) => atrium.automationFlows.replaceMailbox(flow.id)}
      none={t('The flow gets a mail address when it is activated.')}
      missing={t(
        'This installation receives no mail, so no mail starts the flow. Its administrator can set ATRIUM_INBOUND_MAIL.',
      )}
      hint={
        flow.status === 'active'
          ? t('Each mail to this address starts a run. Mail of programs and lists is refused.')
          : t('Mail waits with its sender until the flow is active.')
      }
      question={t('Replace the mail address of {name}?', { name: flow.name })}
      warning={t('The present address stops working at once. Everyone who writes to it needs the new one.')}
    />
  )
}
