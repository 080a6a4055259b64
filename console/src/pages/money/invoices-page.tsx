/** Invoice drafts: what is to be charged for a project, until it is final. */
import './money.css'
import type { InvoiceDraft, Workspace } from '@atrium/sdk'
import { FileText, Plus } from 'lucide-react'
import { useState } from 'react'
import { useParams } from 'wouter'
import { ErrorState, FormError } from '../../app/error-state.tsx'
import { faultsOf, useAll, useList, useWrite } from '../../data/index.ts'
import {
  Badge,
  Button,
  Combobox,
  Dialog,
  Empty,
  Field,
  Input,
  Menu,
  More,
  Page,
  RelativeTime,
  Table,
  type TableColumn,
  type Tone,
} from '../../design/index.ts'
import { minorOf, money } from './amounts.ts'
import { useWorkspace } from './workspace-choice.tsx'

export function InvoicesPage() {
  const { id } = useParams()
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
      {isMaking && workspace !== undefined && <InvoiceDialog workspace={workspace} onClose={() => setMaking(false)} />}
    </Page>
  )
}

const tones: Readonly<Record<string, Tone>> = { draft: 'neutral', ready: 'info', finalized: 'good', void: 'bad' }

const next: Readonly<
  Record<string, readonly { readonly to: 'draft' | 'ready' | 'finalized' | 'void'; readonly label: string }[]>
> = {
  draft: [{ to: 'ready', label: 'Mark as ready' }],
  ready: [
    { to: 'finalized', label: 'Finalize: it is frozen then' },
    { to: 'draft', label: 'Back to draft' },
  ],
  finalized: [{ to: 'void', label: 'Void' }],
}

function InvoiceStatus({ invoice }: { readonly invoice: InvoiceDraft }) {
  const write = useWrite({
    write: (atrium, status: 'draft' | 'ready' | 'finalized' | 'void') =>
      atrium.invoiceDrafts.update(invoice.id, { status }),
    done: ({ status }) => `The invoice is ${status}`,
  })
  const steps = next[invoice.status] ?? []
  const badge = (
    <Badge tone={tones[invoice.status] ?? 'neutral'} dot>
      {invoice.status}
    </Badge>
  )
  if (steps.length === 0) return badge
  return (
    <Menu
      label="Change the status"
      trigger={
        <Button size="s" kind="quiet" busy={write.busy} aria-label={`Status: ${invoice.status}`}>
          {badge}
        </Button>
      }
      items={steps.map(({ to, label }) => ({ label, onSelect: () => void write.run(to) }))}
    />
  )
}

function ProjectName({ invoice }: { readonly invoice: InvoiceDraft }) {
  const { workspace } = invoice
  const projects = useAll('project', { workspace }, (atrium) => atrium.projects.list({ workspace, limit: 100 }))
  return <span className="cut">{projects.data?.find(({ id }) => id === invoice.project)?.name ?? invoice.project}</span>
}

const columns: readonly TableColumn<InvoiceDraft>[] = [
  { key: 'project', title: 'Project', cell: (invoice) => <ProjectName invoice={invoice} /> },
  { key: 'status', title: 'Status', width: '9rem', bare: true, cell: (invoice) => <InvoiceStatus invoice={invoice} /> },
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
    width: '8rem',
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

interface InvoiceDialogProps {
  readonly workspace: Workspace
  readonly onClose: () => void
}

function InvoiceDialog({ workspace, onClose }: InvoiceDialogProps) {
  const currency = workspace.default_currency ?? 'EUR'
  const [project, setProject] = useState<string | null>(null)
  const [netText, setNet] = useState('')
  const [taxText, setTax] = useState('')
  const net = minorOf(netText, currency)
  const tax = minorOf(taxText === '' ? '0' : taxText, currency)
  const projects = useAll('project', { workspace: workspace.id }, (atrium) =>
    atrium.projects.list({ workspace: workspace.id, limit: 100 }),
  )
  const write = useWrite({
    write: (atrium, given: { project: string; net: number; tax: number }) =>
      atrium.invoiceDrafts.create({
        workspace: workspace.id,
        project: given.project,
        currency,
        net_amount_minor: given.net,
        tax_amount_minor: given.tax,
        gross_amount_minor: given.net + given.tax,
      }),
    done: () => 'Draft made',
    toastErrors: false,
  })
  const faults = faultsOf(write.error)
  const send = async () => {
    if (project === null || net === null || tax === null) return
    if ((await write.run({ project, net, tax })) !== undefined) onClose()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="New invoice draft"
      onSubmit={() => !write.busy && void send()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            type="submit"
            busy={write.busy}
            disabled={project === null || net === null || tax === null}
          >
            Make the draft
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Project" error={faults.project} required>
          <Combobox
            label="Project"
            placeholder="Choose a project"
            options={(projects.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            value={project === null ? [] : [project]}
            onChange={([chosen]) => setProject(chosen ?? null)}
          />
        </Field>
        <div className="money-amounts">
          <Field label={`Net, in ${currency}`} error={faults.net_amount_minor} required>
            <Input inputMode="decimal" value={netText} onChange={({ currentTarget }) => setNet(currentTarget.value)} />
          </Field>
          <Field label="Tax" error={faults.tax_amount_minor}>
            <Input inputMode="decimal" value={taxText} onChange={({ currentTarget }) => setTax(currentTarget.value)} />
          </Field>
          <Field label="Gross">
            <Input readOnly value={net === null || tax === null ? '' : money(net + tax, currency)} />
          </Field>
        </div>
        <FormError error={write.error} at={['project', 'net_amount_minor', 'tax_amount_minor']} />
      </div>
    </Dialog>
  )
}
