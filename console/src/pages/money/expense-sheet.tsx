/** One expense and the steps its status allows. Only admins and owners approve, reject and reimburse. */
import type { Expense } from '@atrium/sdk'
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Attachments } from '../../app/attachments.tsx'
import { ConfirmButton } from '../../app/confirm-button.tsx'
import { ErrorState } from '../../app/error-state.tsx'
import { patch, useAppWrite, useDirectory, useHasRole, useMode, useObject, useWrite } from '../../data/index.ts'
import type { ExpenseStatus } from '../../data/shapes.ts'
import { Button, CopyId, Fact, Facts, Section, Sheet, SkeletonLines, StatusBadge } from '../../design/index.ts'
import { shortDay } from '../../design/wall-time.ts'
import { t } from '../../language/index.ts'
import { money } from './amounts.ts'
import { EditExpenseDialog } from './expense-dialog.tsx'

interface Step {
  readonly to: ExpenseStatus
  readonly label: string
  readonly isDecision: boolean
}

const steps: Readonly<Record<string, readonly Step[]>> = {
  draft: [{ to: 'submitted', label: t('Submit'), isDecision: false }],
  submitted: [
    { to: 'approved', label: t('Approve'), isDecision: true },
    { to: 'rejected', label: t('Reject'), isDecision: true },
  ],
  approved: [{ to: 'reimbursed', label: t('Mark as reimbursed'), isDecision: true }],
  rejected: [{ to: 'draft', label: t('Back to draft'), isDecision: false }],
}

export function ExpenseSheet({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const expense = useObject('expense', id, (atrium) => atrium.expenses.retrieve(id))
  const { data } = expense
  return (
    <Sheet
      open
      onClose={onClose}
      title={data === undefined ? t('Expense') : (data.vendor ?? data.category)}
      actions={data !== undefined && <Actions expense={data} onDeleted={onClose} />}
    >
      {expense.error ? (
        <ErrorState error={expense.error} onRetry={() => void expense.refetch()} plain />
      ) : data === undefined ? (
        <SkeletonLines lines={10} />
      ) : (
        <div className="stack">
          <ExpenseFacts expense={data} />
          <Section title={t('Receipts')}>
            <ExpenseReceipts expense={data} />
          </Section>
        </div>
      )}
    </Sheet>
  )
}

/** The API's limit of receipts of an expense. */
const receipts_max = 20

function ExpenseReceipts({ expense: { id, workspace, receipts, status } }: { readonly expense: Expense }) {
  const change = useWrite({
    write: (atrium, next: readonly string[]) => atrium.expenses.update(id, { receipts: next }),
    changes: (next) => [patch('expense', id, { receipts: next })],
  })
  const canChange = status === 'draft'
  if (!canChange && receipts.length === 0) return <p className="subtle">{t('No receipts.')}</p>
  return (
    <Attachments
      label={t('Receipts')}
      workspace={workspace}
      ids={receipts}
      max={receipts_max}
      isReceipt
      {...(canChange && { onChange: change.run })}
    />
  )
}

function ExpenseFacts({ expense }: { readonly expense: Expense }) {
  const { nameOf } = useDirectory()
  const { currency, tax_rate_bp } = expense
  return (
    <Facts>
      <Fact name={t('Status')}>
        <StatusBadge status={expense.status} />
      </Fact>
      <Fact name={t('Gross')}>{money(expense.gross_amount_minor, currency)}</Fact>
      <Fact name={t('Net')}>{money(expense.net_amount_minor, currency)}</Fact>
      <Fact name={t('Tax')}>
        {money(expense.tax_amount_minor, currency)}
        {tax_rate_bp !== null && ` (${tax_rate_bp / 100}%)`}
      </Fact>
      <Fact name={t('Date')}>{shortDay(expense.expense_date)}</Fact>
      <Fact name={t('Category')}>{expense.category}</Fact>
      {expense.business_purpose !== null && <Fact name={t('Business purpose')}>{expense.business_purpose}</Fact>}
      {expense.invoice_number !== null && <Fact name={t('Invoice number')}>{expense.invoice_number}</Fact>}
      {expense.notes !== null && <Fact name={t('Notes')}>{expense.notes}</Fact>}
      <Fact name={t('Created by')}>{nameOf(expense.creator.id)}</Fact>
      <Fact name={t('ID')}>
        <CopyId id={expense.id} />
      </Fact>
    </Facts>
  )
}

interface ActionsProps {
  readonly expense: Expense
  readonly onDeleted: () => void
}

function Actions({ expense, onDeleted }: ActionsProps) {
  const mode = useMode()
  const isAdmin = useHasRole('admin')
  const step = useAppWrite('POST expenses/{id}/status', {
    nouns: ['expense'],
    done: ({ status }) =>
      status === 'draft' ? t('Expense moved back to draft') : t('Expense {status}', { status: String(status) }),
  })
  const allowed = (steps[expense.status] ?? []).filter(({ isDecision }) => isAdmin || !isDecision)
  return (
    <>
      {allowed.map(({ to, label }) => (
        <Button
          key={to}
          kind={to === 'rejected' ? 'plain' : 'primary'}
          busy={step.busy}
          onClick={() => void step.run({ params: { id: expense.id }, body: { mode, status: to } })}
        >
          {label}
        </Button>
      ))}
      {expense.status === 'draft' && (
        <>
          <EditButton expense={expense} />
          <DeleteButton expense={expense} onDeleted={onDeleted} />
        </>
      )}
    </>
  )
}

function EditButton({ expense }: { readonly expense: Expense }) {
  const [isEditing, setEditing] = useState(false)
  return (
    <>
      <Button icon={Pencil} onClick={() => setEditing(true)}>
        {t('Edit')}
      </Button>
      {isEditing && <EditExpenseDialog expense={expense} onClose={() => setEditing(false)} />}
    </>
  )
}

function DeleteButton({ expense, onDeleted }: ActionsProps) {
  const remove = useWrite({
    write: (atrium, id: string) => atrium.expenses.delete(id),
    done: () => t('Expense deleted'),
    toastErrors: false,
  })
  return (
    <ConfirmButton
      action={t('Delete')}
      icon={Trash2}
      title={t('Delete this expense?')}
      write={remove}
      run={() => remove.run(expense.id)}
      onDone={onDeleted}
    >
      {t('A deleted expense cannot be restored. Its events and audit entries stay.')}
    </ConfirmButton>
  )
}
