/** Creates an expense as a draft, and edits one that is a draft. */
import type { Expense, Workspace } from '@atrium/sdk'
import { useState } from 'react'
import { FormDialog } from '../../app/form-dialog.tsx'
import { fieldErrors, useWrite } from '../../data/index.ts'
import { t } from '../../language/index.ts'
import {
  ExpenseFields,
  type ExpenseParams,
  type ExpenseTexts,
  expense_params,
  expenseParams,
  newExpense,
  textsOf,
} from './expense-fields.tsx'

interface NewExpenseProps {
  readonly workspace: Workspace
  readonly onClose: () => void
}

export function NewExpenseDialog({ workspace, onClose }: NewExpenseProps) {
  const [texts, setTexts] = useState<ExpenseTexts>(() => newExpense(workspace))
  const params = expenseParams(texts)
  const write = useWrite({
    write: (atrium, given: ExpenseParams) => atrium.expenses.create({ workspace: workspace.id, ...given }),
    done: () => t('Expense created as a draft'),
    toastErrors: false,
  })
  const create = async () => {
    if (params !== null && (await write.run(params)) !== undefined) onClose()
  }
  return (
    <FormDialog
      title={t('New expense')}
      action={t('Create')}
      isReady={params !== null}
      write={write}
      fields={expense_params}
      onSubmit={create}
      onClose={onClose}
    >
      <ExpenseFields texts={texts} onChange={setTexts} faults={fieldErrors(write.error)} />
    </FormDialog>
  )
}

interface EditExpenseProps {
  readonly expense: Expense
  readonly onClose: () => void
}

/** The write is refused if the expense changed after the dialog opened. */
export function EditExpenseDialog({ expense, onClose }: EditExpenseProps) {
  const [was] = useState(expense)
  const [texts, setTexts] = useState<ExpenseTexts>(() => textsOf(expense))
  const changes = changesOf(was, texts)
  const write = useWrite({
    write: (atrium, given: Changes) => atrium.expenses.update(was.id, given, { ifMatch: was.revision }),
    done: () => t('Expense saved'),
    toastErrors: false,
  })
  const save = async () => {
    if (changes !== null && (await write.run(changes)) !== undefined) onClose()
  }
  return (
    <FormDialog
      title={t('Edit expense')}
      action={t('Save')}
      isReady={changes !== null}
      write={write}
      fields={expense_params}
      onSubmit={save}
      onClose={onClose}
    >
      <ExpenseFields texts={texts} onChange={setTexts} faults={fieldErrors(write.error)} />
    </FormDialog>
  )
}

type Changes = Partial<ExpenseParams> & { readonly tax_rate_bp?: null }

/** `null` if nothing changed or the fields cannot be stored. A rate that other amounts had is dropped with them. */
function changesOf(was: Expense, texts: ExpenseTexts): Changes | null {
  const [before, now] = [expenseParams(textsOf(was)), expenseParams(texts)]
  if (now === null) return null
  const names = Object.keys(now) as (keyof ExpenseParams)[]
  const changed = names.filter((name) => before === null || now[name] !== before[name])
  if (changed.length === 0) return null
  const hasNewAmounts = changed.some((name) => name.endsWith('_amount_minor'))
  return {
    ...Object.fromEntries(changed.map((name) => [name, now[name]])),
    ...(hasNewAmounts && was.tax_rate_bp !== null && { tax_rate_bp: null }),
  }
}
