/** Invoice drafts: what is to be charged for a project, until it is final. */
import './money.css'
import type { InvoiceDraft } from '@atrium/sdk'
import { FileText, Plus } from 'lucide-react'
import { useState } from 'react'
import { useLocation, useParams, useSearch } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { useList } from '../../data/index.ts'
import { Button, Empty, More, Page, RelativeTime, Skeleton, Table, type TableColumn } from '../../design/index.ts'
import { money } from './amounts.ts'
import { NewInvoiceDialog } from './invoice-dialogs.tsx'
import { InvoiceSheet } from './invoice-sheet.tsx'
import { InvoiceStatus } from './invoice-status.tsx'
import { useProjectName } from './reads.ts'
import { useWorkspace } from './workspace-choice.tsx'

export function InvoicesPage() {
  const { id } = useParams()
  const [, navigate] = useLocation()
  const search = useSearch()
  const tail = search === '' ? '' : `?${search}`
  const { workspace, error, choice } = useWorkspace()
  const [isMaking, setMaking] = useState(false)
  const list = useList(
    'invoice_draft',
    { workspace: workspace?.id },
    (atrium, cursor) =>
      atrium.invoiceDrafts.list({
        limit: 50,
        ...(workspace === undefined ? {} : { workspace: workspace.id }),
        ...(cursor === undefined ? {} : { starting_after: cursor }),
      }),
    { enabled: workspace !== undefined },
  )
  const failed = error ?? list.error
  return (
    <Page
      title="Invoices"
      description="Drafts become ready, then final. A final one is frozen and can only be voided."
      actions={
        <>
          {choice}
          <Button kind="primary" icon={Plus} disabled={workspace === undefined} onClick={() => setMaking(true)}>
            New draft
          </Button>
        </>
      }
    >
      {failed ? (
        <ErrorState error={failed} onRetry={list.refetch} />
      ) : (
        <Table
          label="Invoices"
          columns={columns}
          rows={list.rows}
          rowKey={(invoice) => invoice.id}
          to={(invoice) => `/money/invoices/${invoice.id}${tail}`}
          current={id}
          empty={
            <Empty icon={FileText} title="No invoice drafts">
              Make one for a project, with what is net and what is tax.
            </Empty>
          }
          expected={4}
        />
      )}
      {list.rows !== undefined && (
        <More hasMore={list.hasMore} busy={list.isLoadingMore} onMore={list.more} shown={list.rows.length} />
      )}
      {isMaking && workspace !== undefined && (
        <NewInvoiceDialog workspace={workspace} onClose={() => setMaking(false)} />
      )}
      {id !== undefined && <InvoiceSheet id={id} onClose={() => navigate(`/money/invoices${tail}`)} />}
    </Page>
  )
}

function ProjectName({ invoice }: { readonly invoice: InvoiceDraft }) {
  const name = useProjectName(invoice.workspace, invoice.project)
  return <span className="cut money-line">{name || <Skeleton width="60%" />}</span>
}

const columns: readonly TableColumn<InvoiceDraft>[] = [
  { key: 'project', title: 'Project', cell: (invoice) => <ProjectName invoice={invoice} /> },
  { key: 'status', title: 'Status', width: '7rem', cell: ({ status }) => <InvoiceStatus status={status} /> },
  {
    key: 'net',
    title: 'Net',
    width: '8rem',
    align: 'end',
    from: 'wide',
    cell: ({ net_amount_minor, currency }) => money(net_amount_minor, currency),
  },
  {
    key: 'gross',
    title: 'Gross',
    width: '6.5rem',
    align: 'end',
    cell: ({ gross_amount_minor, currency }) => money(gross_amount_minor, currency),
  },
  {
    key: 'at',
    title: 'Made',
    width: '8rem',
    align: 'end',
    from: 'wide',
    cell: ({ created }) => <RelativeTime at={created} />,
  },
]
