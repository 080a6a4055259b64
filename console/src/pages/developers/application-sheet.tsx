/** One application with its active tokens. */
import { useState } from 'react'
import { ConfirmButton } from '../../app/confirm-button.tsx'
import { ErrorState } from '../../app/error-state.tsx'
import { NotFoundSheet } from '../../app/not-found-sheet.tsx'
import { SecretDialog } from '../../app/secret-dialog.tsx'
import { useApp, useAppWrite, useMode } from '../../data/index.ts'
import type { Application, ApplicationToken } from '../../data/shapes.ts'
import {
  Button,
  CopyText,
  Fact,
  Facts,
  RelativeTime,
  Section,
  Select,
  Sheet,
  SkeletonLines,
} from '../../design/index.ts'
import { rich, t } from '../../language/index.ts'
import { SignInSection } from './application-sign-in.tsx'
import { ScopeList } from './scope-choice.tsx'

interface ApplicationSheetProps {
  readonly application: Application | undefined
  readonly onClose: () => void
}

export function ApplicationSheet({ application, onClose }: ApplicationSheetProps) {
  if (application === undefined) return <NotFoundSheet noun={t('application')} onClose={onClose} />
  const remove = <DeleteApplication application={application} onDone={onClose} />
  return (
    <Sheet open onClose={onClose} title={application.name} actions={remove}>
      <div className="stack">
        <Facts>
          <Fact name={application.sign_in === null ? t('ID') : t('Client ID')}>
            <CopyText text={application.id} />
          </Fact>
          <Fact name={t('Scopes')}>
            <ScopeList scopes={application.scopes} />
          </Fact>
        </Facts>
        {application.sign_in !== null && <SignInSection application={application} signIn={application.sign_in} />}
        <Tokens application={application} />
      </div>
    </Sheet>
  )
}

const lifetimes = [
  { value: '3600', label: t('1 hour') },
  { value: '86400', label: t('1 day') },
  { value: '2592000', label: t('30 days') },
] as const

function Tokens({ application }: { readonly application: Application }) {
  const mode = useMode()
  const [lifetime, setLifetime] = useState<string>('3600')
  const [secret, setSecret] = useState<string | null>(null)
  const params = { id: application.id }
  const write = useAppWrite('POST applications/{id}/tokens', {
    invalidates: ['GET applications/{id}/tokens', 'GET applications'],
  })
  const create = async () => {
    const token = await write.run({ params, body: { mode, expires_in: Number(lifetime) } })
    if (token !== undefined) setSecret(token.secret)
  }
  return (
    <Section
      title={t('Tokens')}
      actions={
        <>
          <Select size="s" aria-label={t('Lifetime')} value={lifetime} choices={lifetimes} onChange={setLifetime} />
          <Button size="s" busy={write.busy} onClick={() => void create()}>
            {t('Create token')}
          </Button>
        </>
      }
    >
      <TokenList application={application.id} />
      {secret !== null && (
        <SecretDialog
          title={t('New token: {name}', { name: application.name })}
          secret={secret}
          onClose={() => setSecret(null)}
        />
      )}
    </Section>
  )
}

function TokenList({ application }: { readonly application: string }) {
  const mode = useMode()
  const tokens = useApp('GET applications/{id}/tokens', { params: { id: application }, query: { mode } })
  if (tokens.error) return <ErrorState error={tokens.error} onRetry={() => void tokens.refetch()} plain />
  if (tokens.data === undefined) return <SkeletonLines lines={2} />
  if (tokens.data.data.length === 0) return <p className="subtle">{t('No active tokens.')}</p>
  return (
    <ul className="plain-list">
      {tokens.data.data.map((token) => (
        <TokenItem key={token.id} token={token} />
      ))}
    </ul>
  )
}

function TokenItem({ token }: { readonly token: ApplicationToken }) {
  const mode = useMode()
  const revoke = useAppWrite('DELETE tokens/{id}', {
    invalidates: ['GET applications/{id}/tokens', 'GET applications'],
    done: () => t('Token revoked'),
  })
  return (
    <li className="row spread">
      <span>
        <span className="dev-mono">{token.hint}…</span>{' '}
        <span className="subtle">
          {rich('expires {relativeTime}, last used', { relativeTime: <RelativeTime at={token.expires_at} /> })}{' '}
          <RelativeTime at={token.last_used_at} none={t('never')} />
        </span>
      </span>
      <Button size="s" busy={revoke.busy} onClick={() => void revoke.run({ params: { id: token.id }, body: { mode } })}>
        {t('Revoke')}
      </Button>
    </li>
  )
}

interface DeleteApplicationProps {
  readonly application: Application
  readonly onDone: () => void
}

function DeleteApplication({ application: { id, name }, onDone }: DeleteApplicationProps) {
  const mode = useMode()
  const write = useAppWrite('DELETE applications/{id}', {
    invalidates: ['GET applications', 'GET directory'],
    toastErrors: false,
    done: () => t('{name} deleted', { name }),
  })
  return (
    <ConfirmButton
      action={t('Delete')}
      kind="danger"
      title={t('Delete {name}?', { name })}
      write={write}
      run={() => write.run({ params: { id }, body: { mode } })}
      onDone={onDone}
    >
      {t(
        'Its tokens, and access that people have given it, stop working immediately. Events and the audit log keep its ID.',
      )}
    </ConfirmButton>
  )
}
