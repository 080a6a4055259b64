/** The organization's API keys: who calls with them, what they may, when they were last used. */
import './developers.css'
import './keys.css'
import type { ApiKey } from '@atrium/sdk'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { useManagedList, useMode } from '../../data/index.ts'
import type { LogSummary } from '../../data/shapes.ts'
import {
  Badge,
  Button,
  Empty,
  More,
  Page,
  RelativeTime,
  Sparkline,
  Table,
  type TableColumn,
} from '../../design/index.ts'
import { KeySheet } from './key-sheet.tsx'
import { NewKeyDialog } from './new-key-dialog.tsx'
import { useLogSummary } from './request-words.tsx'

type Use = LogSummary['credentials'][number]

export function KeysPage() {
  const { id } = useParams()
  const [, navigate] = useLocation()
  const mode = useMode()
  const [isMaking, setMaking] = useState(false)
  const list = useManagedList('api_key', {}, (atrium, cursor) =>
    atrium.apiKeys.list({ limit: 100, ...(cursor === undefined ? {} : { starting_after: cursor }) }),
  )
  const summary = useLogSummary('24h')
  const uses = new Map(summary.data?.credentials.map((use) => [use.credential, use]))
  return (
    <Page
      title="API keys"
      description={`Keys for ${mode} data. A key acts for the organization, within the scopes it was given.`}
      actions={
        <Button kind="primary" icon={Plus} onClick={() => setMaking(true)}>
          New key
        </Button>
      }
    >
      {list.error ? (
        <ErrorState error={list.error} onRetry={list.refetch} />
      ) : (
        <>
          <Table
            label="API keys"
            columns={columnsWith(uses)}
            rows={list.rows}
            rowKey={(key) => key.id}
            to={(key) => `/developers/keys/${key.id}`}
            current={id}
            empty={
              <Empty icon={KeyRound} title={`No keys for ${mode} data`}>
                A program calls the API with a key. Make one with the rights it needs and no more; test keys see test
                data only.
              </Empty>
            }
          />
          {list.rows !== undefined && (
            <More hasMore={list.hasMore} busy={list.isLoadingMore} onMore={list.more} shown={list.rows?.length ?? 0} />
          )}
        </>
      )}
      {isMaking && <NewKeyDialog onClose={() => setMaking(false)} />}
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

function columnsWith(uses: ReadonlyMap<string, Use>): readonly TableColumn<ApiKey>[] {
  return [
    {
      key: 'name',
      title: 'Name',
      cell: ({ name, status }) => (
        <span className="row">
          <span className="cut">{name}</span>
          {status === 'expired' && <Badge tone="bad">expired</Badge>}
        </span>
      ),
    },
    {
      key: 'key',
      title: 'Key',
      width: '14rem',
      from: 'wide',
      cell: ({ hint, last4 }) => <span className="dev-mono">{`${hint}…${last4}`}</span>,
    },
    {
      key: 'scopes',
      title: 'May',
      width: '7rem',
      from: 'widest',
      cell: ({ scopes }) => (scopes.length === 20 ? 'everything' : `${scopes.length} of 20`),
    },
    {
      key: 'use',
      title: 'Last 24 hours',
      width: '8rem',
      from: 'wide',
      cell: ({ id }) => <UseLine use={uses.get(id)} />,
    },
    {
      key: 'last',
      title: 'Last used',
      width: '8rem',
      align: 'end',
      cell: ({ last_used_at }) => <RelativeTime at={last_used_at} none="never" />,
    },
  ]
}

export function UseLine({ use }: { readonly use: Use | undefined }) {
  if (use === undefined) return <span className="subtle key-use">no requests</span>
  return (
    <Sparkline
      values={use.hours}
      label={`${use.requests.toLocaleString('en')} requests in 24 hours, ${use.errors.toLocaleString('en')} of them failed`}
    />
  )
}
