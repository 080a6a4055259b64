/** One invoice draft and the steps its status allows: draft, ready, finalized, void. */
import type { AuditEntry, InvoiceDraft } from '@atrium/sdk'
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { ConfirmButton } from '../../app/confirm-button.tsx'
import { ErrorState, FormError } from '../../app/error-state.tsx'
import { useDirectory, useList, useObject, useWrite, type Writer } from '../../data/index.ts'
import {
  Button,
  ConfirmDialog,
  CopyId,
  Fact,
  Facts,
  RelativeTime,
  Sheet,
  Skeleton,
  SkeletonLines,
  StatusBadge,
} from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { money } from './amounts.ts'
import { AmountsDialog } from './invoice-dialogs.tsx'
import { useProjectName } from './reads.ts'

interface InvoiceSheetProps {
  readonly id: string
  readonly onClose: () => void
}

export function InvoiceSheet({ id, onClose }: InvoiceSheetProps) {
  const invoice = useObject('invoice_draft', id, (atrium) => atrium.invoiceDrafts.retrieve(id))
  const move = useWrite({
    write: (atrium, { status, ifMatch }: Move) => atrium.invoiceDrafts.update(id, { status }, { ifMatch }),
    done: ({ status }) => moved[status] ?? t('Invoice changed'),
    toastErrors: false,
  })
  const { data } = invoice
  return (
    <Sheet
      open
      onClose={onClose}
      title={
        data === undefined
          ? t('Invoice')
          : t('Invoice for {money}', { money: money(data.gross_amount_minor, data.currency) })
      }
      actions={data !== undefined && <Actions invoice={data} move={move} onDeleted={onClose} />}
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
      <Fact name={t('Status')}>
        <StatusBadge status={invoice.status} />
      </Fact>
      <Fact name={t('Project')}>
        {name === '' ? (
          <Skeleton width="8rem" />
        ) : (
          <Link className="link" href={`/work/projects/${project}`}>
            {name}
          </Link>
        )}
      </Fact>
      <Fact name={t('Net')}>{money(invoice.net_amount_minor, currency)}</Fact>
      <Fact name={t('Tax')}>{money(invoice.tax_amount_minor, currency)}</Fact>
      <Fact name={t('Gross')}>
        <strong>{money(invoice.gross_amount_minor, currency)}</strong>
      </Fact>
      <Fact name={t('Currency')}>{currency}</Fact>
      <Fact name={t('Created')}>
        <RelativeTime at={invoice.created} />
      </Fact>
      <Fact name={t('Created by')}>
        <Creator invoice={invoice.id} />
      </Fact>
      {finalized_at !== null && (
        <Fact name={t('Finalized')}>
          <RelativeTime at={finalized_at} />
        </Fact>
      )}
      {voided_at !== null && (
        <Fact name={t('Voided')}>
          <RelativeTime at={voided_at} />
        </Fact>
      )}
      <Fact name={t('ID')}>
        <CopyId id={invoice.id} />
      </Fact>
    </Facts>
  )
}

/** Read from the audit log, because an invoice draft does not record its creator. */
function Creator({ invoice }: { readonly invoice: string }) {
  const { nameOf, isLoaded } = useDirectory()
  const params = { target: invoice, action: 'invoice_drafts.create', limit: 1 }
  const { rows, error } = useList<AuditEntry>('audit_entry', params, (atrium) => atrium.auditLogs.list(params))
  const unknown = <span className="subtle">{t('Unknown')}</span>
  if (error) return unknown
  if (rows === undefined || !isLoaded) return <Skeleton width="8rem" />
  const [entry] = rows
  if (entry === undefined) return unknown
  return <>{entry.actor.type === 'system' ? t('Operator') : nameOf(entry.actor.id)}</>
}

type Status = 'draft' | 'ready' | 'finalized' | 'void'

interface Move {
  readonly status: Status
  /** The revision on the screen, so that amounts are not finalized unseen. */
  readonly ifMatch: number
}

const moved: Readonly<Record<string, string>> = {
  draft: t('Invoice moved back to draft'),
  ready: t('Invoice marked as ready'),
  finalized: t('Invoice finalized'),
  void: t('Invoice voided'),
}

interface Step {
  readonly to: Status
  readonly label: string
  readonly isMain?: true
  /** The confirmation before a step that cannot be undone. */
  readonly warning?: { readonly title: string; readonly text: string }
}

const steps: Readonly<Record<string, readonly Step[]>> = {
  draft: [{ to: 'ready', label: t('Mark as ready'), isMain: true }],
  ready: [
    {
      to: 'finalized',
      label: t('Finalize'),
      isMain: true,
      warning: {
        title: t('Finalize this invoice?'),
        text: t(
          'Finalizing freezes its amounts and currency. A finalized invoice cannot be edited or deleted, only voided.',
        ),
      },
    },
    { to: 'draft', label: t('Back to draft') },
  ],
  finalized: [
    {
      to: 'void',
      label: t('Void'),
      warning: {
        title: t('Void this invoice?'),
        text: t('A voided invoice stays in the list. It cannot be reopened.'),
      },
    },
  ],
}

interface ActionsProps {
  readonly invoice: InvoiceDraft
  readonly move: Writer<Move, InvoiceDraft>
  readonly onDeleted: () => void
}

function Actions({ invoice, move, onDeleted }: ActionsProps) {
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
          {t('Edit amounts')}
        </Button>
      )}
      {invoice.status !== 'finalized' && <DeleteInvoice id={invoice.id} onDeleted={onDeleted} />}
      {isEditing && <AmountsDialog invoice={invoice} onClose={() => setEditing(false)} />}
      <ConfirmDialog
        open={asked !== null}
        onClose={() => setAsked(null)}
        title={asked?.warning?.title}
        action={asked?.label ?? ''}
        busy={move.busy}
        onConfirm={() => asked !== null && void take(asked)}
      >
        {asked?.warning?.text}
      </ConfirmDialog>
    </>
  )
}

function DeleteInvoice({ id, onDeleted }: { readonly id: string; readonly onDeleted: () => void }) {
  const remove = useWrite({
    write: (atrium) => atrium.invoiceDrafts.delete(id),
    done: () => t('Invoice deleted'),
    toastErrors: false,
  })
  return (
    <ConfirmButton
      action={t('Delete')}
      icon={Trash2}
      title={t('Delete this invoice?')}
      write={remove}
      run={() => remove.run(undefined)}
      onDone={onDeleted}
    >
      {t('A deleted invoice cannot be restored. Its events and audit entries stay.')}
    </ConfirmButton>
  )
}
