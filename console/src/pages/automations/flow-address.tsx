/** A public address of a flow: how to copy it, and how to replace it. A flow gets it when it is activated. */
import './automations.css'
import type { Atrium, AutomationFlow } from '@atrium/sdk'
import { RefreshCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { ConfirmButton } from '../../app/confirm-button.tsx'
import { ErrorState } from '../../app/error-state.tsx'
import { hasErrorCode, useObject, useWrite } from '../../data/index.ts'
import { CopyText, Section, Skeleton } from '../../design/index.ts'
import { t } from '../../language/index.ts'

/** As the API shows it, so that the answer of a replacement replaces it in the cache. */
type PublicAddress = { readonly secret: string } & (
  | { readonly url: string }
  /** Null if this installation receives no mail. */
  | { readonly address: string | null }
)

interface FlowAddressProps {
  readonly flow: AutomationFlow
  readonly title: string
  /** The kind of object that holds the address. */
  readonly noun: string
  readonly read: (atrium: Atrium) => PromiseLike<PublicAddress>
  readonly replace: (atrium: Atrium) => PromiseLike<PublicAddress>
  /** Before there is an address. */
  readonly none: string
  /** In place of an address that the installation cannot have. */
  readonly missing?: string
  /** What the address is for, as long as there is one. */
  readonly hint: string
  readonly question: string
  readonly warning: string
  /** Beside the button that replaces the address. */
  readonly actions?: (url: string) => ReactNode
}

export function FlowAddress(props: FlowAddressProps) {
  const { flow, title, none } = props
  return (
    <Section title={title}>
      <div className="flow-address">
        {flow.version === 0 ? <p className="muted">{none}</p> : <Address {...props} />}
      </div>
    </Section>
  )
}

function Address({ flow, noun, read, replace, none, missing, hint, question, warning, actions }: FlowAddressProps) {
  // A flow that was activated before it had the trigger gets its address with the next version.
  const address = useObject(noun, flow.id, read, { params: { version: flow.version } })
  const write = useWrite({
    write: (atrium, _: null) => replace(atrium),
    invalidates: [noun],
    done: () => t('Address replaced'),
    waits: false,
    toastErrors: false,
  })
  if (address.data === undefined) {
    if (address.error === null) return <Skeleton />
    if (hasErrorCode(address.error, 'resource_not_found')) return <p className="muted">{none}</p>
    return <ErrorState error={address.error} onRetry={() => void address.refetch()} plain />
  }
  const { secret } = address.data
  const url = 'url' in address.data ? address.data.url : address.data.address
  if (url === null) return <p className="muted">{missing}</p>
  return (
    <div className="stack">
      <CopyText text={url} />
      <p className="muted">{hint}</p>
      <div className="row">
        {actions?.(url)}
        {/* The dialog closes when the new address is there. */}
        <ConfirmButton
          key={secret}
          action={t('Replace')}
          icon={RefreshCw}
          title={question}
          write={write}
          run={() => write.run(null)}
          onDone={() => {}}
        >
          {warning}
        </ConfirmButton>
      </div>
    </div>
  )
}
