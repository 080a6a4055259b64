/** Applications: programs that act under their own name, with short-lived access tokens. */
import './developers.css'
import './keys.css'
import { Blocks, Plus } from 'lucide-react'
import { useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { FormDialog } from '../../app/form-dialog.tsx'
import { fieldErrors, useApp, useAppWrite, useMode } from '../../data/index.ts'
import type { Application } from '../../data/shapes.ts'
import { Button, date, Empty, Field, Input, Page, Table, type TableColumn } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { ApplicationSheet } from './application-sheet.tsx'
import { presets, ScopeChoice, scopeCount } from './scope-choice.tsx'

export function ApplicationsPage() {
  const { id } = useParams()
  const [, navigate] = useLocation()
  const mode = useMode()
  const [isCreating, setCreating] = useState(false)
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
      {isCreating && <NewApplication onClose={() => setCreating(false)} />}
      {id !== undefined && rows !== undefined && (
        <ApplicationSheet
          application={rows.find((row) => row.id === id)}
          onClose={() => navigate('/developers/applications')}
        />
      )}
    </Page>
  )
}

function NewApplication({ onClose }: { readonly onClose: () => void }) {
  const mode = useMode()
  const [text, setText] = useState('')
  const [scopes, setScopes] = useState<readonly string[]>(presets.read)
  const write = useAppWrite('POST applications', {
    invalidates: ['GET applications', 'GET directory'],
    done: (application) => t('{name} created', { name: application.name }),
    toastErrors: false,
  })
  const name = text.trim()
  const create = async () => {
    if ((await write.run({ body: { mode, name, scopes } })) !== undefined) onClose()
  }
  return (
    <FormDialog
      title={t('New application for {mode} data', { mode })}
      size="l"
      action={t('Create')}
      isReady={name !== '' && scopes.length > 0}
      write={write}
      fields={['name']}
      onSubmit={create}
      onClose={onClose}
    >
      <Field label={t('Name')} error={fieldErrors(write.error).name} required>
        <Input autoFocus value={text} onChange={({ currentTarget }) => setText(currentTarget.value)} />
      </Field>
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
