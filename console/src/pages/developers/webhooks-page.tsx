/** Webhook endpoints: where events go, and how well they arrive. */
import './developers.css'
import type { WebhookEndpoint } from '@atrium/sdk'
import { Plus, Webhook } from 'lucide-react'
import { useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { useManagedList } from '../../data/index.ts'
import { Badge, Button, Empty, More, Page, RelativeTime, Table, type TableColumn } from '../../design/index.ts'
import { EndpointSheet } from './endpoint-sheet.tsx'
import { NewEndpointDialog } from './new-endpoint-dialog.tsx'

export function WebhooksPage() {
  const { id } = useParams()
  const [, navigate] = useLocation()
  const [isMaking, setMaking] = useState(false)
  const list = useManagedList('webhook_endpoint', {}, (atrium, cursor) =>
    atrium.webhookEndpoints.list({ limit: 100, ...(cursor === undefined ? {} : { cursor }) }),
  )
  return (
    <Page
      title="Webhooks"
      description="Events are sent to these addresses as they happen, signed, at least once."
      actions={
        <Button kind="primary" icon={Plus} onClick={() => setMaking(true)}>
          New endpoint
        </Button>
      }
    >
      {list.error ? (
        <ErrorState error={list.error} onRetry={list.refetch} />
      ) : (
        <>
          <Table
            label="Webhook endpoints"
            columns={columns}
            rows={list.rows}
            rowKey={(row) => row.id}
            to={(row) => `/developers/webhooks/${row.id}`}
            current={id}
            empty={
              <Empty icon={Webhook} title="No endpoints">
                An endpoint is an https address of yours that answers with 2xx. Before it is taken it gets a first event
                to try. To follow events without one, there is the stream: atrium events tail.
              </Empty>
            }
          />
          {list.rows !== undefined && (
            <More hasMore={list.hasMore} busy={list.isLoadingMore} onMore={list.more} shown={list.rows?.length ?? 0} />
          )}
        </>
      )}
      {isMaking && <NewEndpointDialog onClose={() => setMaking(false)} />}
      {id !== undefined && list.rows !== undefined && (
        <EndpointSheet
          endpoint={list.rows.find((row) => row.id === id)}
          onClose={() => navigate('/developers/webhooks')}
        />
      )}
    </Page>
  )
}

export function EndpointStatus({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const { status, consecutive_failures } = endpoint
  if (status === 'paused') return <Badge tone="neutral">paused</Badge>
  if (status === 'disabled') return <Badge tone="bad">disabled</Badge>
  return consecutive_failures > 0 ? (
    <Badge tone="warn" dot>
      failing
    </Badge>
  ) : (
    <Badge tone="good" dot>
      enabled
    </Badge>
  )
}

const columns: readonly TableColumn<WebhookEndpoint>[] = [
  { key: 'url', title: 'Address', cell: ({ url }) => <span className="dev-mono cut">{url}</span> },
  {
    key: 'types',
    title: 'Events',
    from: 'widest',
    width: '14rem',
    cell: ({ event_types }) => <span className="cut">{event_types.join(', ')}</span>,
  },
  { key: 'status', title: 'Health', width: '7rem', cell: (endpoint) => <EndpointStatus endpoint={endpoint} /> },
  {
    key: 'success',
    title: 'Last success',
    width: '9rem',
    align: 'end',
    from: 'wide',
    cell: ({ last_success_at }) => <RelativeTime at={last_success_at} none="never" />,
  },
]
