/** One API key: its scopes, its use, and its actions. */
import type { ApiKey } from '@atrium/sdk'
import { Pencil, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { ConfirmButton } from '../../app/confirm-button.tsx'
import { NotFoundSheet } from '../../app/not-found-sheet.tsx'
import { useDirectory, useWrite } from '../../data/index.ts'
import { Button, CopyText, dateTime, Fact, Facts, RelativeTime, Sheet } from '../../design/index.ts'
import { RenameKeyDialog, RollKeyDialog } from './key-dialogs.tsx'
import { type CredentialUsage, KeyUsage } from './key-usage.tsx'
import { ScopeList } from './scope-choice.tsx'

interface KeySheetProps {
  readonly apiKey: ApiKey | undefined
  readonly use: CredentialUsage | undefined
  readonly onClose: () => void
}

export function KeySheet({ apiKey, use, onClose }: KeySheetProps) {
  if (apiKey === undefined) {
    return (
      <NotFoundSheet noun="key" onClose={onClose}>
        It may be revoked, or belong to the other mode.
      </NotFoundSheet>
    )
  }
  return (
    <Sheet
      open
      onClose={onClose}
      title={apiKey.name}
      actions={<KeyActions apiKey={apiKey} use={use} onDone={onClose} />}
    >
      <KeyFacts apiKey={apiKey} use={use} />
    </Sheet>
  )
}

interface KeyProps extends Pick<KeySheetProps, 'use'> {
  readonly apiKey: ApiKey
}

function KeyFacts({ apiKey, use }: KeyProps) {
  const { nameOf } = useDirectory()
  return (
    <Facts>
      <Fact name="Key">
        <span className="dev-mono">{`${apiKey.hint}…${apiKey.last4}`}</span>
      </Fact>
      <Fact name="Acts for">{apiKey.owner.type === 'organization' ? 'The organization' : nameOf(apiKey.owner.id)}</Fact>
      <Fact name="Last used">
        <RelativeTime at={apiKey.last_used_at} none="Never" />
      </Fact>
      <Fact name="Last 24 hours">
        <KeyUsage use={use} />
      </Fact>
      <Fact name="Requests">
        <Link href={`/developers/requests?credential=${apiKey.id}`}>View in the log</Link>
      </Fact>
      <Fact name="Created">{dateTime(apiKey.created)}</Fact>
      <Fact name="Expires">{apiKey.expires_at === null ? 'Never' : dateTime(apiKey.expires_at)}</Fact>
      {apiKey.previous_secret_expires_at !== null && (
        <Fact name="Previous secret">
          Expires <RelativeTime at={apiKey.previous_secret_expires_at} />
        </Fact>
      )}
      <Fact name="API version">{apiKey.api_version}</Fact>
      <Fact name="ID">
        <CopyText text={apiKey.id} />
      </Fact>
      <Fact name="Scopes">
        <ScopeList scopes={apiKey.scopes} />
      </Fact>
    </Facts>
  )
}

function KeyActions(props: KeyProps & { readonly onDone: () => void }) {
  const [dialog, setDialog] = useState<'rename' | 'roll' | null>(null)
  const close = () => setDialog(null)
  return (
    <>
      <Button icon={Pencil} onClick={() => setDialog('rename')}>
        Rename
      </Button>
      <Button icon={RotateCw} disabled={props.apiKey.status === 'expired'} onClick={() => setDialog('roll')}>
        Roll
      </Button>
      <Revoke {...props} />
      {dialog === 'rename' && <RenameKeyDialog apiKey={props.apiKey} onClose={close} />}
      {dialog === 'roll' && <RollKeyDialog apiKey={props.apiKey} onClose={close} />}
    </>
  )
}

/** Its name must be typed first: what is known of its use is up to half a minute old. */
function Revoke({ apiKey, use, onDone }: KeyProps & { readonly onDone: () => void }) {
  const write = useWrite({
    write: (atrium, id: string) => atrium.apiKeys.delete(id),
    manage: true,
    toastErrors: false,
    done: () => `${apiKey.name} revoked`,
  })
  const consequence =
    use === undefined
      ? 'It was not used in the last 24 hours.'
      : `It made ${use.requests.toLocaleString('en')} requests in the last 24 hours. Further requests will fail.`
  return (
    <ConfirmButton
      action="Revoke"
      kind="danger"
      title={`Revoke ${apiKey.name}?`}
      typed={apiKey.name}
      write={write}
      run={() => write.run(apiKey.id)}
      onDone={onDone}
    >
      {consequence} A revoked key cannot be restored.
    </ConfirmButton>
  )
}
