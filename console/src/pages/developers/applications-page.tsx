/** Applications: programs that act in their own name, with access tokens that do not live long. */
import './developers.css'
import './keys.css'
import { Blocks, Plus } from 'lucide-react'
import { useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { ErrorState, FormError } from '../../app/error-state.tsx'
import { faultsOf, useApp, useAppWrite, useMode } from '../../data/index.ts'
import type { Application } from '../../data/shapes.ts'
import { Button, Dialog, date, Empty, Field, Input, Page, Table, type TableColumn } from '../../design/index.ts'
import { ApplicationSheet } from './application-sheet.tsx'
import { presets, ScopeChoice } from './scope-choice.tsx'

export function ApplicationsPage() {
  const { id } = useParams()
  const [, navigate] = useLocation()
  const mode = useMode()
  const [isMaking, setMaking] = useState(false)
  const list = useApp('GET applications', { query: { mode } })
  const rows = list.data?.data
  return (
    <Page
      title="Applications"
      description="Programs of their own, which call with access tokens instead of a key."
      actions={
        <Button kind="primary" icon={Plus} onClick={() => setMaking(true)}>
          New application
        </Button>
      }
    >
      {list.error ? (
        <ErrorState error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <Table
          label="Applications"
          columns={columns}
          rows={rows}
          rowKey={(row) => row.id}
          to={(row) => `/developers/applications/${row.id}`}
          current={id}
          empty={
            <Empty icon={Blocks} title="No applications">
              Where a program should be told apart from your own keys, as one of a partner, register it here: what it
              does stands in events and the audit log under its name, and its tokens end by themselves.
            </Empty>
          }
        />
      )}
      {isMaking && <NewApplication onClose={() => setMaking(false)} />}
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
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly string[]>(presets.read)
  const write = useAppWrite('POST applications', {
    touches: ['GET applications', 'GET directory'],
    done: (made) => `${made.name} registered`,
    toastErrors: false,
  })
  const isReady = name.trim() !== '' && scopes.length > 0
  const send = async () => {
    if ((await write.run({ body: { mode, name: name.trim(), scopes } })) !== undefined) onClose()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={`New application for ${mode} data`}
      size="l"
      onSubmit={() => isReady && !write.busy && void send()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={write.busy} disabled={!isReady}>
            Register
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Name" error={faultsOf(write.error).name} required>
          <Input autoFocus value={name} onChange={({ currentTarget }) => setName(currentTarget.value)} />
        </Field>
        <ScopeChoice value={scopes} onChange={setScopes} />
        <FormError error={write.error} at={['name']} />
      </div>
    </Dialog>
  )
}

const columns: readonly TableColumn<Application>[] = [
  { key: 'name', title: 'Name', cell: ({ name }) => <span className="cut">{name}</span> },
  { key: 'scopes', title: 'May', width: '7rem', from: 'wide', cell: ({ scopes }) => `${scopes.length} of 20` },
  { key: 'tokens', title: 'Tokens', width: '6rem', align: 'end', cell: ({ tokens }) => tokens },
  { key: 'made', title: 'Registered', width: '8rem', align: 'end', from: 'wide', cell: ({ created }) => date(created) },
]
