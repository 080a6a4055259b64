/** Applications: programs that act under their own name, with short-lived access tokens. */
import './developers.css'
import './keys.css'
import { Blocks, Plus } from 'lucide-react'
import { useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { FormDialog } from '../../app/form-dialog.tsx'
import { SecretDialog } from '../../app/secret-dialog.tsx'
import { fieldErrors, useApp, useAppWrite, useMode } from '../../data/index.ts'
import type { Application } from '../../data/shapes.ts'
import { Button, date, Empty, Field, Input, Page, Table, type TableColumn } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { ApplicationSheet } from './application-sheet.tsx'
import { no_sign_in, SignInFields, urisOf } from './application-sign-in.tsx'
import { presets, ScopeChoice, scopeCount } from './scope-choice.tsx'

export function ApplicationsPage() {
  const { id } = useParams()
  const [, navigate] = useLocation()
  const mode = useMode()
  const [isCreating, setCreating] = useState(false)
  const [made, setMade] = useState<{ readonly name: string; readonly secret: string } | null>(null)
  const list = useApp('GET applications', { query: { mode } })
  const rows = list.data?.data
  const create = (
    <Button kind="primary" icon={Plus} onClick={() => setCreating(true)}>
      {t('New application')}
    </Button>
  )
  return (
    <Page
      title={t('Applications')}
      description={t('Programs that act under their own name, with access tokens instead of a key.')}
      actions={create}
    >
      {list.error ? (
        <ErrorState error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <Table
          label={t('Applications')}
          columns={columns}
          rows={rows}
          rowKey={(row) => row.id}
          to={(row) => `/developers/applications/${row.id}`}
          current={id}
          empty={
            <Empty icon={Blocks} title={t('No applications yet')} actions={create}>
              {t(
                'Create one for a program that is not your own, such as a partner’s. Events and the audit log then show its name, and its tokens expire.',
              )}
            </Empty>
          }
        />
      )}
      {isCreating && <NewApplication onSecret={setMade} onClose={() => setCreating(false)} />}
      {made !== null && (
        <SecretDialog
          title={t('Secret of {name}', { name: made.name })}
          secret={made.secret}
          onClose={() => setMade(null)}
        />
      )}
      {id !== undefined && rows !== undefined && (
        <ApplicationSheet
          application={rows.find((row) => row.id === id)}
          onClose={() => navigate('/developers/applications')}
        />
      )}
    </Page>
  )
}

interface NewApplicationProps {
  readonly onSecret: (made: { readonly name: string; readonly secret: string }) => void
  readonly onClose: () => void
}

function NewApplication({ onSecret, onClose }: NewApplicationProps) {
  const mode = useMode()
  const [text, setText] = useState('')
  const [scopes, setScopes] = useState<readonly string[]>(presets.read)
  const [signIn, setSignIn] = useState(no_sign_in)
  const write = useAppWrite('POST applications', {
    invalidates: ['GET applications', 'GET directory'],
    done: (application) => t('{name} created', { name: application.name }),
    toastErrors: false,
  })
  const name = text.trim()
  const redirect_uris = urisOf(signIn.uris)
  const create = async () => {
    const more = signIn.isOn ? { sign_in: { kind: signIn.kind, redirect_uris } } : {}
    const application = await write.run({ body: { mode, name, scopes, ...more } })
    if (application === undefined) return
    onClose()
    if (application.secret !== null) onSecret({ name, secret: application.secret })
  }
  return (
    <FormDialog
      title={t('New application for {mode} data', { mode })}
      size="l"
      action={t('Create')}
      isReady={name !== '' && scopes.length > 0 && (!signIn.isOn || redirect_uris.length > 0)}
      write={write}
      fields={['name', 'sign_in']}
      onSubmit={create}
      onClose={onClose}
    >
      <Field label={t('Name')} error={fieldErrors(write.error).name} required>
        <Input autoFocus value={text} onChange={({ currentTarget }) => setText(currentTarget.value)} />
      </Field>
      <SignInFields draft={signIn} error={fieldErrors(write.error).sign_in} onChange={setSignIn} />
      <ScopeChoice value={scopes} onChange={setScopes} />
    </FormDialog>
  )
}

const columns: readonly TableColumn<Application>[] = [
  { key: 'name', title: t('Name'), cell: ({ name }) => <span className="cut">{name}</span> },
  { key: 'scopes', title: t('Scopes'), width: '7rem', from: 'wide', cell: ({ scopes }) => scopeCount(scopes) },
  { key: 'tokens', title: t('Tokens'), width: '6rem', align: 'end', cell: ({ tokens }) => tokens },
  {
    key: 'created',
    title: t('Created'),
    width: '8rem',
    align: 'end',
    from: 'wide',
    cell: ({ created }) => date(created),
  },
]
