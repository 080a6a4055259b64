/** One API key: its scopes, its use, and its actions. */
import type { ApiKey } from '@atrium/sdk'
import { Pencil, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { ConfirmButton } from '../../app/confirm-button.tsx'
import { NotFoundSheet } from '../../app/not-found-sheet.tsx'
import { useDirectory, useWrite } from '../../data/index.ts'
import { Button, CopyText, dateTime, Fact, Facts, RelativeTime, Sheet } from '../../design/index.ts'
import { t, textLanguage } from '../../language/index.ts'
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
      <NotFoundSheet noun={t('key')} onClose={onClose}>
        {t('It may be revoked, or belong to the other mode.')}
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
      <Fact name={t('Key')}>
        <span className="dev-mono">{`${apiKey.hint}…${apiKey.last4}`}</span>
      </Fact>
      <Fact name={t('Acts for')}>
        {apiKey.owner.type === 'organization' ? t('The organization') : nameOf(apiKey.owner.id)}
      </Fact>
      <Fact name={t('Last used')}>
        <RelativeTime at={apiKey.last_used_at} none={t('Never')} />
      </Fact>
      <Fact name={t('Last 24 hours')}>
        <KeyUsage use={use} />
      </Fact>
      <Fact name={t('Requests')}>
        <Link href={`/developers/requests?credential=${apiKey.id}`}>{t('View in the log')}</Link>
      </Fact>
      <Fact name={t('Created')}>{dateTime(apiKey.created)}</Fact>
      <Fact name={t('Expires')}>{apiKey.expires_at === null ? t('Never') : dateTime(apiKey.expires_at)}</Fact>
      {apiKey.previous_secret_expires_at !== null && (
        <Fact name={t('Previous secret')}>
          {t('Expires')} <RelativeTime at={apiKey.previous_secret_expires_at} />
        </Fact>
      )}
      <Fact name={t('API version')}>{apiKey.api_version}</Fact>
      <Fact name={t('ID')}>
        <CopyText text={apiKey.id} />
      </Fact>
      <Fact name={t('Scopes')}>
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
        {t('Rename')}
      </Button>
      <Button icon={RotateCw} disabled={props.apiKey.status === 'expired'} onClick={() => setDialog('roll')}>
        {t('Roll')}
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
    done: () => t('{name} revoked', { name: apiKey.name }),
  })
  const consequence =
    use === undefined
      ? t('It was not used in the last 24 hours.')
      : t('It made {requests} requests in the last 24 hours. Further requests will fail.', {
          requests: use.requests.toLocaleString(textLanguage()),
        })
  return (
    <ConfirmButton
      action={t('Revoke')}
      kind="danger"
      title={t('Revoke {name}?', { name: apiKey.name })}
      typed={apiKey.name}
      write={write}
      run={() => write.run(apiKey.id)}
      onDone={onDone}
    >
      {t('{consequence} A revoked key cannot be restored.', { consequence })}
    </ConfirmButton>
  )
}
