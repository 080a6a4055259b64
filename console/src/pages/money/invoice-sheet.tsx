/** One invoice draft: what it says, and the next steps that may be taken with it. */
import type { AuditEntry, InvoiceDraft } from '@atrium/sdk'
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { ErrorState, FormError } from '../../app/error-state.tsx'
import { useDirectory, useList, useObject, useWrite, type Writer } from '../../data/index.ts'
import {
  Button,
  ConfirmDialog,
  CopyText,
  Fact,
  Facts,
  RelativeTime,
  Sheet,
  Skeleton,
  SkeletonLines,
} from '../../design/index.ts'
import { money } from './amounts.ts'
import { AmountsDialog } from './invoice-dialogs.tsx'
import { InvoiceStatus } from './invoice-status.tsx'
import { useProjectName } from './reads.ts'

interface InvoiceSheetProps {
  readonly id: string
  readonly onClose: () => void
}

export function InvoiceSheet({ id, onClose }: InvoiceSheetProps) {
  const invoice = useObject('invoice_draft', id, (atrium) => atrium.invoiceDrafts.retrieve(id))
  const move = useWrite({
    write: (atrium, { status, ifMatch }: Move) => atrium.invoiceDrafts.update(id, { status }, { ifMatch }),
    done: ({ status }) => `The invoice is ${status}`,
    toastErrors: false,
  })
  const { data } = invoice
  return (
    <Sheet
      open
      onClose={onClose}
      title={data === undefined ? 'Invoice' : `Invoice over ${money(data.gross_amount_minor, data.currency)}`}
      actions={data !== undefined && <Actions invoice={data} move={move} onGone={onClose} />}
    >
      {invoice.error ? (
        <ErrorState error={invoice.error} onRetry={() => void invoice.refetch()} plain />
      ) : data === undefined ? (
        <SkeletonLines lines={10} />
      ) : (
        <div className="stack">
          <InvoiceFacts invoice={data} />
          <FormError error={move.error} />
        </div>
      )}
    </Sheet>
  )
}

function InvoiceFacts({ invoice }: { readonly invoice: InvoiceDraft }) {
  const { currency, workspace, project, finalized_at, voided_at } = invoice
  const name = useProjectName(workspace, project)
  return (
    <Facts>
      <Fact name="Status">
        <InvoiceStatus status={invoice.status} />
      </Fact>
      <Fact name="Project">
        {name === '' ? (
          <Skeleton width="8rem" />
        ) : (
          <Link className="link" href={`/work/projects/${project}`}>
            {name}
          </Link>
        )}
      </Fact>
      <Fact name="Net">{money(invoice.net_amount_minor, currency)}</Fact>
      <Fact name="Tax">{money(invoice.tax_amount_minor, currency)}</Fact>
      <Fact name="Gross">
        <strong>{money(invoice.gross_amount_minor, currency)}</strong>
      </Fact>
      <Fact name="Currency">{currency}</Fact>
      <Fact name="Made">
        <RelativeTime at={invoice.created} />
      </Fact>
      <Fact name="Made by">
        <MadeBy invoice={invoice.id} />
      </Fact>
      {finalized_at !== null && (
        <Fact name="Finalized">
          <RelativeTime at={finalized_at} />
        </Fact>
      )}
      {voided_at !== null && (
        <Fact name="Voided">
          <RelativeTime at={voided_at} />
        </Fact>
      )}
      <Fact name="Id">
        <CopyText text={invoice.id} />
      </Fact>
    </Facts>
  )
}

/** An invoice names nobody: the audit log does. */
function MadeBy({ invoice }: { readonly invoice: string }) {
  const { nameOf, isLoaded } = useDirectory()
  const asked = { target: invoice, action: 'invoice_drafts.create', limit: 1 }
  const { rows, error } = useList<AuditEntry>('audit_entry', asked, (atrium) => atrium.auditLogs.list(asked))
  if (error) return <span className="subtle">not known</span>
  if (rows === undefined || !isLoaded) return <Skeleton width="8rem" />
  const [entry] = rows
  if (entry === undefined) return <span className="subtle">not known</span>
  return <>{entry.actor.type === 'system' ? 'The operator' : nameOf(entry.actor.id)}</>
}

type Status = 'draft' | 'ready' | 'finalized' | 'void'

interface Move {
  readonly status: Status
  /** The revision that somebody looked at: what was changed meanwhile is not made final unseen. */
  readonly ifMatch: number
}

interface Step {
  readonly to: Status
  readonly label: string
  readonly isMain?: true
  /** What is to be known before, where nothing leads back. */
  readonly warning?: { readonly title: string; readonly text: string }
}

const steps: Readonly<Record<string, readonly Step[]>> = {
  draft: [{ to: 'ready', label: 'Mark as ready', isMain: true }],
  ready: [
    {
      to: 'finalized',
      label: 'Finalize',
      isMain: true,
      warning: {
        title: 'Finalize this invoice?',
        text: 'It is frozen then: its amounts and its currency stay as they are, it cannot be deleted, and it can only be voided.',
      },
    },
    { to: 'draft', label: 'Back to draft' },
  ],
  finalized: [
    {
      to: 'void',
      label: 'Void',
      warning: { title: 'Void this invoice?', text: 'A void invoice stays in the list and can never be used again.' },
    },
  ],
}

interface ActionsProps {
  readonly invoice: InvoiceDraft
  readonly move: Writer<Move, InvoiceDraft>
  readonly onGone: () => void
}

function Actions({ invoice, move, onGone }: ActionsProps) {
  const [asked, setAsked] = useState<Step | null>(null)
  const [isEditing, setEditing] = useState(false)
  const isOpen = invoice.status === 'draft' || invoice.status === 'ready'
  const take = async ({ to }: Step) => {
    await move.run({ status: to, ifMatch: invoice.revision })
    setAsked(null)
  }
  return (
    <>
      {(steps[invoice.status] ?? []).map((step) => (
        <Button
          key={step.to}
          kind={step.isMain ? 'primary' : 'plain'}
          busy={move.busy}
          onClick={() => (step.warning === undefined ? void take(step) : setAsked(step))}
        >
          {step.label}
        </Button>
      ))}
      {isOpen && (
        <Button icon={Pencil} onClick={() => setEditing(true)}>
          Change the amounts
        </Button>
      )}
      {invoice.status !== 'finalized' && <Delete invoice={invoice} onGone={onGone} />}
      {isEditing && <AmountsDialog invoice={invoice} onClose={() => setEditing(false)} />}
      <ConfirmDialog
        open={asked !== null}
        onClose={() => setAsked(null)}
        title={asked?.warning?.title}
        action={`${asked?.label} the invoice`}
        busy={move.busy}
        onConfirm={() => asked !== null && void take(asked)}
      >
        {asked?.warning?.text}
      </ConfirmDialog>
    </>
  )
}

function Delete({ invoice, onGone }: Pick<ActionsProps, 'invoice' | 'onGone'>) {
  const [isAsking, setAsking] = useState(false)
  const remove = useWrite({
    write: (atrium, id: string) => atrium.invoiceDrafts.delete(id),
    done: () => 'Invoice deleted',
    toastErrors: false,
  })
  const gone = async () => {
    if ((await remove.run(invoice.id)) !== undefined) onGone()
  }
  return (
    <>
      <Button icon={Trash2} onClick={() => setAsking(true)}>
        Delete
      </Button>
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title="Delete this invoice?"
        action="Delete the invoice"
        busy={remove.busy}
        error={<FormError error={remove.error} />}
        onConfirm={() => void gone()}
      >
        A deleted invoice cannot be brought back; its events and audit entries stay.
      </ConfirmDialog>
    </>
  )
}
