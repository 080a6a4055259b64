/** Expenses of a workspace and their status: draft, submitted, approved, reimbursed. */
import './money.css'
import type { Expense } from '@atrium/sdk'
import { Plus, Receipt } from 'lucide-react'
import { useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { ListTable } from '../../app/list-table.tsx'
import { useList } from '../../data/index.ts'
import { Button, Empty, Page, StatusBadge, type TableColumn } from '../../design/index.ts'
import { shortDay } from '../../design/wall-time.ts'
import { t } from '../../language/index.ts'
import { money } from './amounts.ts'
import { NewExpenseDialog } from './expense-dialog.tsx'
import { ExpenseSheet } from './expense-sheet.tsx'
import { useWorkspace } from './workspace-choice.tsx'

export function ExpensesPage() {
  const { id } = useParams()
  const [, navigate] = useLocation()
  const [isCreating, setCreating] = useState(false)
  const { workspace, choice, missing } = useWorkspace()
  const list = useExpenses(workspace?.id)
  const create = (
    <Button kind="primary" icon={Plus} disabled={workspace === undefined} onClick={() => setCreating(true)}>
      {t('New expense')}
    </Button>
  )
  return (
    <Page
      title={t('Expenses')}
      description={t('Submit expenses, and have them approved and reimbursed.')}
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
          label={t('Expenses')}
          columns={columns}
          rowKey={(expense) => expense.id}
          to={(expense) => `/money/expenses/${expense.id}`}
          current={id}
          empty={
            <Empty icon={Receipt} title={t('No expenses yet')} actions={create}>
              {t('Create an expense with its amount and purpose. It stays a draft until you submit it.')}
            </Empty>
          }
        />
      )}
      {isCreating && workspace !== undefined && (
        <NewExpenseDialog workspace={workspace} onClose={() => setCreating(false)} />
      )}
      {id !== undefined && <ExpenseSheet id={id} onClose={() => navigate('/money/expenses')} />}
    </Page>
  )
}

function useExpenses(workspace: string | undefined) {
  return useList(
    'expense',
    { workspace },
    (atrium, cursor) =>
      atrium.expenses.list({
        limit: 50,
        ...(workspace === undefined ? {} : { workspace }),
        ...(cursor === undefined ? {} : { starting_after: cursor }),
      }),
    { enabled: workspace !== undefined },
  )
}

const columns: readonly TableColumn<Expense>[] = [
  { key: 'date', title: t('Date'), width: '6.5rem', cell: ({ expense_date }) => shortDay(expense_date) },
  { key: 'vendor', title: t('Vendor'), cell: ({ vendor, category }) => vendor ?? category },
  { key: 'category', title: t('Category'), width: '9rem', from: 'wide', cell: ({ category }) => category },
  {
    key: 'status',
    title: t('Status'),
    width: '8rem',
    from: 'wide',
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  {
    key: 'amount',
    title: t('Amount'),
    width: '6.5rem',
    align: 'end',
    cell: ({ gross_amount_minor, currency }) => money(gross_amount_minor, currency),
  },
]
