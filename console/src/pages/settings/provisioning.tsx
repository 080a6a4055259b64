/** The tokens with which an identity provider manages the people of the organization by SCIM. Only owners see them. */
import '../../design/item-list.css'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { ConfirmButton } from '../../app/confirm-button.tsx'
import { ErrorState } from '../../app/error-state.tsx'
import { FormDialog } from '../../app/form-dialog.tsx'
import { SecretDialog } from '../../app/secret-dialog.tsx'
import { fieldErrors, useApp, useAppWrite, useSession } from '../../data/index.ts'
import type { ScimToken } from '../../data/shapes.ts'
import { Button, Card, CopyText, Fact, Facts, Field, Input, Section, SkeletonLines } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { UseTimes } from './use-times.tsx'

export function Provisioning() {
  const { public_url } = useSession()
  const address = new URL('scim/v2', public_url).href
  const list = useApp('GET scim-tokens', {})
  const [isCreating, setCreating] = useState(false)
  const rows = list.data?.data
  return (
    <Section
      title={t('Provisioning')}
      description={t(
        'An identity provider such as Okta or Entra ID creates, changes and deactivates people and teams by SCIM, with a token that is good for nothing else.',
      )}
      actions={
        <Button icon={Plus} onClick={() => setCreating(true)}>
          {t('New token')}
        </Button>
      }
    >
      {list.error ? (
        <ErrorState error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <>
          <Card>
            <Facts>
              <Fact name={t('SCIM address')}>
                <CopyText text={address} />
              </Fact>
            </Facts>
          </Card>
          <Card flush={rows !== undefined && rows.length > 0}>
            {rows === undefined && <SkeletonLines lines={2} />}
            {rows?.length === 0 && <p className="subtle">{t('No tokens yet. A provider needs one of its own.')}</p>}
            {rows !== undefined && rows.length > 0 && (
              <ul className="item-list" aria-label={t('Tokens for provisioning')}>
                {rows.map((token) => (
                  <TokenItem key={token.id} token={token} />
                ))}
              </ul>
            )}
          </Card>
        </>
      )}
      {isCreating && <NewToken onClose={() => setCreating(false)} />}
    </Section>
  )
}

function TokenItem({ token }: { readonly token: ScimToken }) {
  const { id, name, hint, created, last_used_at } = token
  const revoke = useAppWrite('DELETE scim-tokens/{id}', {
    invalidates: ['GET scim-tokens'],
    toastErrors: false,
    done: () => t('Token revoked'),
  })
  return (
    <li className="item">
      <span className="item-icon">
        <KeyRound aria-hidden="true" />
      </span>
      <div className="grow">
        <p className="item-title">
          <span className="cut">{name}</span>
          <code>{hint}…</code>
        </p>
        <UseTimes created={created} lastUsed={last_used_at} />
      </div>
      <ConfirmButton
        action={t('Revoke')}
        title={t('Revoke {name}?', { name })}
        write={revoke}
        run={() => revoke.run({ params: { id } })}
        onDone={() => {}}
      >
        {t('The provider can no longer change people. Those it has created stay.')}
      </ConfirmButton>
    </li>
  )
}

function NewToken({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('')
  const [secret, setSecret] = useState<string | null>(null)
  const write = useAppWrite('POST scim-tokens', { invalidates: ['GET scim-tokens'], toastErrors: false })
  const create = async () => {
    const made = await write.run({ body: { name: name.trim() } })
    if (made !== undefined) setSecret(made.secret)
  }
  if (secret !== null)
    return <SecretDialog title={t('Token of {name}', { name: name.trim() })} secret={secret} onClose={onClose} />
  return (
    <FormDialog
      size="s"
      title={t('New token')}
      action={t('Create')}
      isReady={name.trim() !== ''}
      write={write}
      fields={['name']}
      onSubmit={create}
      onClose={onClose}
    >
      <Field label={t('Name')} hint={t('The provider that gets it.')} error={fieldErrors(write.error).name}>
        <Input autoFocus value={name} maxLength={80} onChange={({ currentTarget }) => setName(currentTarget.value)} />
      </Field>
    </FormDialog>
  )
}
