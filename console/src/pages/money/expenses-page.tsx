/** What was spent, and how far it is: handed in, approved, paid back. */
import './money.css'
import type { Expense } from '@atrium/sdk'
import { Plus, Receipt } from 'lucide-react'
import { useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { useList } from '../../data/index.ts'
import { Badge, Button, Empty, More, Page, Table, type TableColumn, type Tone } from '../../design/index.ts'
import { money } from './amounts.ts'
import { ExpenseDialog } from './expense-dialog.tsx'
import { ExpenseSheet } from './expense-sheet.tsx'
import { useWorkspace } from './workspace-choice.tsx'

export function ExpensesPage() {
  const { id } = useParams()
  const [, navigate] = useLocation()
  const [isMaking, setMaking] = useState(false)
  const { workspace, error, choice } = useWorkspace()
  const list = useList(
    'expense',
    { workspace: workspace?.id },
    (atrium, cursor) =>
      atrium.expenses.list({
        limit: 50,
        ...(workspace === undefined ? {} : { workspace: workspace.id }),
        ...(cursor === undefined ? {} : { starting_after: cursor }),
      }),
    { enabled: workspace !== undefined },
  )
  return (
    <Page
      title="Expenses"
      description="Written down as drafts, handed in, decided by an admin or owner."
      actions={
        <>
          {choice}
          <Button kind="primary" icon={Plus} disabled={workspace === undefined} onClick={() => setMaking(true)}>
            New expense
          </Button>
        </>
      }
    >
      {(error ?? list.error) ? (
        <ErrorState error={error ?? list.error} onRetry={list.refetch} />
      ) : (
        <Table
          label="Expenses"
          columns={columns}
          rows={list.rows}
          rowKey={(expense) => expense.id}
          to={(expense) => `/money/expenses/${expense.id}`}
          current={id}
          empty={
            <Empty icon={Receipt} title="No expenses">
              Write one down with what it was for; it stays a draft until it is handed in.
            </Empty>
          }
        />
      )}
      {list.rows !== undefined && (
        <More hasMore={list.hasMore} busy={list.isLoadingMore} onMore={list.more} shown={list.rows.length} />
      )}
      {isMaking && workspace !== undefined && <ExpenseDialog workspace={workspace} onClose={() => setMaking(false)} />}
      {id !== undefined && <ExpenseSheet id={id} onClose={() => navigate('/money/expenses')} />}
    </Page>
  )
}

const tones: Readonly<Record<string, Tone>> = {
  draft: 'neutral',
  submitted: 'info',
  approved: 'good',
  rejected: 'bad',
  reimbursed: 'violet',
}

export function ExpenseStatus({ status }: Pick<Expense, 'status'>) {
  return (
    <Badge tone={tones[status] ?? 'neutral'} dot>
      {status}
    </Badge>
  )
}

const columns: readonly TableColumn<Expense>[] = [
  { key: 'date', title: 'Date', width: '6.5rem', cell: ({ expense_date }) => expense_date },
  { key: 'vendor', title: 'Vendor', cell: ({ vendor, category }) => vendor ?? category },
  { key: 'category', title: 'Category', width: '9rem', from: 'wide', cell: ({ category }) => category },
  {
    key: 'status',
    title: 'Status',
    width: '8rem',
    from: 'wide',
    cell: ({ status }) => <ExpenseStatus status={status} />,
  },
  {
    key: 'amount',
    title: 'Amount',
    width: '6.5rem',
    align: 'end',
    cell: ({ gross_amount_minor, currency }) => money(gross_amount_minor, currency),
  },
]
