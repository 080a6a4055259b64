/** One expense: what it was, and the next step that may be taken with it. */
import type { Expense } from '@atrium/sdk'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { ErrorState } from '../../app/error-state.tsx'
import { useAppWrite, useDirectory, useMay, useMode, useObject, useWrite } from '../../data/index.ts'
import type { ExpenseStatusName } from '../../data/shapes.ts'
import { Button, ConfirmDialog, CopyText, Fact, Facts, Sheet, SkeletonLines } from '../../design/index.ts'
import { money } from './amounts.ts'
import { ExpenseStatus } from './expenses-page.tsx'

interface Step {
  readonly to: ExpenseStatusName
  readonly label: string
  readonly isDecision: boolean
}

const steps: Readonly<Record<string, readonly Step[]>> = {
  draft: [{ to: 'submitted', label: 'Hand in', isDecision: false }],
  submitted: [
    { to: 'approved', label: 'Approve', isDecision: true },
    { to: 'rejected', label: 'Reject', isDecision: true },
  ],
  approved: [{ to: 'reimbursed', label: 'Mark as paid back', isDecision: true }],
  rejected: [{ to: 'draft', label: 'Back to draft', isDecision: false }],
}

export function ExpenseSheet({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const expense = useObject('expense', id, (atrium) => atrium.expenses.retrieve(id))
  const { data } = expense
  return (
    <Sheet
      open
      onClose={onClose}
      title={data === undefined ? 'Expense' : (data.vendor ?? data.category)}
      actions={data !== undefined && <Actions expense={data} onGone={onClose} />}
    >
      {expense.error ? (
        <ErrorState error={expense.error} onRetry={() => void expense.refetch()} plain />
      ) : data === undefined ? (
        <SkeletonLines lines={10} />
      ) : (
        <ExpenseFacts expense={data} />
      )}
    </Sheet>
  )
}

function ExpenseFacts({ expense }: { readonly expense: Expense }) {
  const { nameOf } = useDirectory()
  const { currency, tax_rate_bp } = expense
  return (
    <Facts>
      <Fact name="Status">
        <ExpenseStatus status={expense.status} />
      </Fact>
      <Fact name="Gross">{money(expense.gross_amount_minor, currency)}</Fact>
      <Fact name="Net">{money(expense.net_amount_minor, currency)}</Fact>
      <Fact name="Tax">
        {money(expense.tax_amount_minor, currency)}
        {tax_rate_bp !== null && ` (${tax_rate_bp / 100} %)`}
      </Fact>
      <Fact name="Date">{expense.expense_date}</Fact>
      <Fact name="Category">{expense.category}</Fact>
      {expense.business_purpose !== null && <Fact name="For">{expense.business_purpose}</Fact>}
      {expense.invoice_number !== null && <Fact name="Invoice">{expense.invoice_number}</Fact>}
      {expense.notes !== null && <Fact name="Notes">{expense.notes}</Fact>}
      <Fact name="Written down by">{nameOf(expense.creator.id)}</Fact>
      <Fact name="Id">
        <CopyText text={expense.id} />
      </Fact>
    </Facts>
  )
}

function Actions({ expense, onGone }: { readonly expense: Expense; readonly onGone: () => void }) {
  const mode = useMode()
  const isAdmin = useMay('admin')
  const [isAsking, setAsking] = useState(false)
  const step = useAppWrite('POST expenses/{id}/status', {
    nouns: ['expense'],
    done: ({ status }) => `The expense is ${String(status)}`,
  })
  const remove = useWrite({
    write: (atrium, id: string) => atrium.expenses.delete(id),
    done: () => 'Expense deleted',
  })
  const gone = async () => {
    if ((await remove.run(expense.id)) !== undefined) onGone()
  }
  const may = (steps[expense.status] ?? []).filter(({ isDecision }) => isAdmin || !isDecision)
  return (
    <>
      {may.map(({ to, label }) => (
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
        <Button icon={Trash2} onClick={() => setAsking(true)}>
          Delete
        </Button>
      )}
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title="Delete this expense?"
        action="Delete the expense"
        busy={remove.busy}
        onConfirm={() => void gone()}
      >
        A deleted expense cannot be brought back; its events and audit entries stay.
      </ConfirmDialog>
    </>
  )
}
