/** The organization's API keys with their scopes and use. */
import './developers.css'
import './keys.css'
import type { ApiKey } from '@atrium/sdk'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { ListTable } from '../../app/list-table.tsx'
import { useManagedList, useMode } from '../../data/index.ts'
import { Badge, Button, Empty, Page, RelativeTime, type TableColumn } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { KeySheet } from './key-sheet.tsx'
import { type CredentialUsage, KeyUsage } from './key-usage.tsx'
import { NewKeyDialog } from './new-key-dialog.tsx'
import { useLogSummary } from './request-log.tsx'
import { scopeCount } from './scope-choice.tsx'

export function KeysPage() {
  const { id } = useParams()
  const [, navigate] = useLocation()
  const mode = useMode()
  const [isCreating, setCreating] = useState(false)
  const list = useManagedList('api_key', {}, (atrium, cursor) =>
    atrium.apiKeys.list({ limit: 100, ...(cursor === undefined ? {} : { starting_after: cursor }) }),
  )
  const summary = useLogSummary('24h')
  const uses = new Map(summary.data?.credentials.map((use) => [use.credential, use]))
  const create = (
    <Button kind="primary" icon={Plus} onClick={() => setCreating(true)}>
      {t('New key')}
    </Button>
  )
  return (
    <Page
      title={t('API keys')}
      description={t('Keys for {mode} data. A key acts for the organization, within its scopes.', { mode })}
      actions={create}
    >
      <ListTable
        list={list}
        label={t('API keys')}
        columns={columnsWith(uses)}
        rowKey={(key) => key.id}
        to={(key) => `/developers/keys/${key.id}`}
        current={id}
        empty={
          <Empty icon={KeyRound} title={t('No keys for {mode} data yet', { mode })} actions={create}>
            {t(
              'Programs call the API with a key. Give each key only the scopes it needs. Test keys see test data only.',
            )}
          </Empty>
        }
      />
      {isCreating && <NewKeyDialog onClose={() => setCreating(false)} />}
      {id !== undefined && list.rows !== undefined && (
        <KeySheet
          apiKey={list.rows.find((key) => key.id === id)}
          use={uses.get(id)}
          onClose={() => navigate('/developers/keys')}
        />
      )}
    </Page>
  )
}

function columnsWith(uses: ReadonlyMap<string, CredentialUsage>): readonly TableColumn<ApiKey>[] {
  return [
    {
      key: 'name',
      title: t('Name'),
      cell: ({ name, status }) => (
        <span className="row">
          <span className="cut">{name}</span>
          {status === 'expired' && <Badge tone="bad">{t('Expired')}</Badge>}
        </span>
      ),
    },
    {
      key: 'key',
      title: t('Key'),
      width: '14rem',
      from: 'wide',
      cell: ({ hint, last4 }) => <span className="dev-mono">{`${hint}…${last4}`}</span>,
    },
    { key: 'scopes', title: t('Scopes'), width: '7rem', from: 'widest', cell: ({ scopes }) => scopeCount(scopes) },
    {
      key: 'use',
      title: t('Last 24 hours'),
      width: '8rem',
      from: 'wide',
      cell: ({ id }) => <KeyUsage use={uses.get(id)} />,
    },
    {
      key: 'last',
      title: t('Last used'),
      width: '8rem',
      align: 'end',
      cell: ({ last_used_at }) => <RelativeTime at={last_used_at} none={t('Never')} />,
    },
  ]
}
