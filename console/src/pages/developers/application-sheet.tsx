/** One application with the tokens that still work. */
import { useState } from 'react'
import { ErrorState } from '../../app/error-state.tsx'
import { useApp, useAppWrite, useMode } from '../../data/index.ts'
import type { Application, ApplicationToken } from '../../data/shapes.ts'
import {
  Button,
  ConfirmDialog,
  CopyText,
  Empty,
  Fact,
  Facts,
  RelativeTime,
  Section,
  Select,
  Sheet,
  SkeletonLines,
} from '../../design/index.ts'
import { SecretDialog } from './secret-dialog.tsx'

interface ApplicationSheetProps {
  readonly application: Application | undefined
  readonly onClose: () => void
}

export function ApplicationSheet({ application, onClose }: ApplicationSheetProps) {
  if (application === undefined) {
    return (
      <Sheet open onClose={onClose} title="No such application">
        <Empty plain title="There is no application with this id" />
      </Sheet>
    )
  }
  const remove = <Remove application={application} onDone={onClose} />
  return (
    <Sheet open onClose={onClose} title={application.name} actions={remove}>
      <div className="stack">
        <Facts>
          <Fact name="Id">
            <CopyText text={application.id} />
          </Fact>
          <Fact name="May">
            <ul className="key-scopes dev-mono">
              {application.scopes.map((scope) => (
                <li key={scope}>{scope}</li>
              ))}
            </ul>
          </Fact>
        </Facts>
        <Tokens application={application} />
      </div>
    </Sheet>
  )
}

const lives = [
  { value: '3600', label: 'An hour' },
  { value: '86400', label: 'A day' },
  { value: '2592000', label: '30 days' },
] as const

function Tokens({ application }: { readonly application: Application }) {
  const mode = useMode()
  const [life, setLife] = useState<string>('3600')
  const [secret, setSecret] = useState<string | null>(null)
  const params = { id: application.id }
  const tokens = useApp('GET applications/{id}/tokens', { params, query: { mode } })
  const issue = useAppWrite('POST applications/{id}/tokens', {
    touches: ['GET applications/{id}/tokens', 'GET applications'],
  })
  const make = async () => {
    const made = await issue.run({ params, body: { mode, expires_in: Number(life) } })
    if (made !== undefined) setSecret(made.secret)
  }
  return (
    <Section
      title="Tokens"
      actions={
        <>
          <Select size="s" aria-label="How long it works" value={life} choices={lives} onChange={setLife} />
          <Button size="s" busy={issue.busy} onClick={() => void make()}>
            Issue a token
          </Button>
        </>
      }
    >
      {tokens.error ? (
        <ErrorState error={tokens.error} onRetry={() => void tokens.refetch()} plain />
      ) : tokens.data === undefined ? (
        <SkeletonLines lines={2} />
      ) : tokens.data.data.length === 0 ? (
        <p className="subtle">None works at present.</p>
      ) : (
        <ul className="plain-list">
          {tokens.data.data.map((token) => (
            <TokenLine key={token.id} token={token} />
          ))}
        </ul>
      )}
      {secret !== null && (
        <SecretDialog title={`A token of ${application.name}`} secret={secret} onClose={() => setSecret(null)} />
      )}
    </Section>
  )
}

function TokenLine({ token }: { readonly token: ApplicationToken }) {
  const mode = useMode()
  const revoke = useAppWrite('DELETE tokens/{id}', {
    touches: ['GET applications/{id}/tokens', 'GET applications'],
    done: () => 'Token revoked',
  })
  return (
    <li className="row spread">
      <span>
        <span className="dev-mono">{token.hint}…</span>{' '}
        <span className="subtle">
          ends <RelativeTime at={token.expires_at} />, used <RelativeTime at={token.last_used_at} none="never" />
        </span>
      </span>
      <Button size="s" busy={revoke.busy} onClick={() => void revoke.run({ params: { id: token.id }, body: { mode } })}>
        Revoke
      </Button>
    </li>
  )
}

function Remove({ application, onDone }: { readonly application: Application; readonly onDone: () => void }) {
  const mode = useMode()
  const [isAsking, setAsking] = useState(false)
  const write = useAppWrite('DELETE applications/{id}', {
    touches: ['GET applications', 'GET directory'],
    done: () => `${application.name} deleted`,
  })
  const remove = async () => {
    if ((await write.run({ params: { id: application.id }, body: { mode } })) !== undefined) onDone()
  }
  return (
    <>
      <Button kind="danger" onClick={() => setAsking(true)}>
        Delete
      </Button>
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title={`Delete ${application.name}?`}
        action="Delete the application"
        onConfirm={() => void remove()}
        busy={write.busy}
      >
        Its tokens stop working at once. What it did keeps its id in events and the audit log.
      </ConfirmDialog>
    </>
  )
}
