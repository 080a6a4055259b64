/** Webhook endpoints with their status. */
import './developers.css'
import type { WebhookEndpoint } from '@atrium/sdk'
import { Plus, Webhook } from 'lucide-react'
import { useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { ListTable } from '../../app/list-table.tsx'
import { useManagedList } from '../../data/index.ts'
import { Button, Empty, Page, RelativeTime, type TableColumn } from '../../design/index.ts'
import { rich, t } from '../../language/index.ts'
import { EndpointSheet } from './endpoint-sheet.tsx'
import { EndpointStatus } from './endpoint-status.tsx'
import { NewEndpointDialog } from './new-endpoint-dialog.tsx'

export function WebhooksPage() {
  const { id } = useParams()
  const [, navigate] = useLocation()
  const [isCreating, setCreating] = useState(false)
  const list = useManagedList('webhook_endpoint', {}, (atrium, cursor) =>
    atrium.webhookEndpoints.list({ limit: 100, ...(cursor === undefined ? {} : { cursor }) }),
  )
  const create = (
    <Button kind="primary" icon={Plus} onClick={() => setCreating(true)}>
      {t('New endpoint')}
    </Button>
  )
  return (
    <Page
      title={t('Webhooks')}
      description={t('Events are sent to these URLs as they happen: signed, and at least once.')}
      actions={create}
    >
      <ListTable
        list={list}
        label={t('Webhook endpoints')}
        columns={columns}
        rowKey={(row) => row.id}
        to={(row) => `/developers/webhooks/${row.id}`}
        current={id}
        empty={
          <Empty icon={Webhook} title={t('No endpoints yet')} actions={create}>
            {rich(
              'An endpoint is an https URL of yours that answers events with 2xx. To follow events without one, run {code}.',
              { code: <code>atrium events tail</code> },
            )}
          </Empty>
        }
      />
      {isCreating && <NewEndpointDialog onClose={() => setCreating(false)} />}
      {id !== undefined && list.rows !== undefined && (
        <EndpointSheet
          endpoint={list.rows.find((row) => row.id === id)}
          onClose={() => navigate('/developers/webhooks')}
        />
      )}
    </Page>
  )
}

const columns: readonly TableColumn<WebhookEndpoint>[] = [
  { key: 'url', title: t('URL'), cell: ({ url }) => <span className="dev-mono cut">{url}</span> },
  {
    key: 'types',
    title: t('Events'),
    from: 'widest',
    width: '14rem',
    cell: ({ event_types }) => <span className="cut">{event_types.join(', ')}</span>,
  },
  { key: 'status', title: t('Status'), width: '7rem', cell: (endpoint) => <EndpointStatus endpoint={endpoint} /> },
  {
    key: 'success',
    title: t('Last success'),
    width: '9rem',
    align: 'end',
    from: 'wide',
    cell: ({ last_success_at }) => <RelativeTime at={last_success_at} none={t('Never')} />,
  },
]
