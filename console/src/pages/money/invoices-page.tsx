/** Invoice drafts: what a project is charged, until the invoice is finalized. */
import './money.css'
import type { InvoiceDraft } from '@atrium/sdk'
import { FileText, Plus } from 'lucide-react'
import { useState } from 'react'
import { useLocation, useParams, useSearch } from 'wouter'
import { ListTable } from '../../app/list-table.tsx'
import { useList } from '../../data/index.ts'
import { Button, Empty, Page, RelativeTime, Skeleton, StatusBadge, type TableColumn } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { money } from './amounts.ts'
import { NewInvoiceDialog } from './invoice-dialogs.tsx'
import { InvoiceSheet } from './invoice-sheet.tsx'
import { useProjectName } from './reads.ts'
import { useWorkspace } from './workspace-choice.tsx'

export function InvoicesPage() {
  const { id } = useParams()
  const [, navigate] = useLocation()
  const search = useSearch()
  const query = search === '' ? '' : `?${search}`
  const { workspace, choice, missing } = useWorkspace()
  const [isCreating, setCreating] = useState(false)
  const list = useInvoices(workspace?.id)
  const create = (
    <Button kind="primary" icon={Plus} disabled={workspace === undefined} onClick={() => setCreating(true)}>
      {t('New invoice')}
    </Button>
  )
  return (
    <Page
      title={t('Invoices')}
      description={t(
        'A draft is marked as ready, then finalized. A finalized invoice is frozen and can only be voided.',
      )}
      actions={
        <>
          {choice}
          {create}
        </>
      }
    >
      {missing ?? (
        <ListTable
          list={list}
          label={t('Invoices')}
          columns={columns}
          rowKey={(invoice) => invoice.id}
          to={(invoice) => `/money/invoices/${invoice.id}${query}`}
          current={id}
          empty={
            <Empty icon={FileText} title={t('No invoices yet')} actions={create}>
              {t('Create a draft for a project with its net amount and tax.')}
            </Empty>
          }
          expected={4}
        />
      )}
      {isCreating && workspace !== undefined && (
        <NewInvoiceDialog workspace={workspace} onClose={() => setCreating(false)} />
      )}
      {id !== undefined && <InvoiceSheet id={id} onClose={() => navigate(`/money/invoices${query}`)} />}
    </Page>
  )
}

function useInvoices(workspace: string | undefined) {
  return useList(
    'invoice_draft',
    { workspace },
    (atrium, cursor) =>
      atrium.invoiceDrafts.list({
        limit: 50,
        ...(workspace === undefined ? {} : { workspace }),
        ...(cursor === undefined ? {} : { starting_after: cursor }),
      }),
    { enabled: workspace !== undefined },
  )
}

function ProjectName({ invoice }: { readonly invoice: InvoiceDraft }) {
  const name = useProjectName(invoice.workspace, invoice.project)
  return <span className="cut money-line">{name || <Skeleton width="60%" />}</span>
}

const columns: readonly TableColumn<InvoiceDraft>[] = [
  { key: 'project', title: t('Project'), cell: (invoice) => <ProjectName invoice={invoice} /> },
  { key: 'status', title: t('Status'), width: '7.5rem', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    key: 'net',
    title: t('Net'),
    width: '8rem',
    align: 'end',
    from: 'wide',
    cell: ({ net_amount_minor, currency }) => money(net_amount_minor, currency),
  },
  {
    key: 'gross',
    title: t('Gross'),
    width: '6.5rem',
    align: 'end',
    cell: ({ gross_amount_minor, currency }) => money(gross_amount_minor, currency),
  },
  {
    key: 'at',
    title: t('Created'),
    width: '8rem',
    align: 'end',
    from: 'wide',
    cell: ({ created }) => <RelativeTime at={created} />,
  },
]
