/** Creates an invoice draft, and edits the amounts of one that is not finalized. */
import type { InvoiceDraft, Workspace } from '@atrium/sdk'
import { useState } from 'react'
import { FormDialog } from '../../app/form-dialog.tsx'
import { fieldErrors, useWrite } from '../../data/index.ts'
import { Combobox, Field } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { amountText } from './amounts.ts'
import { AmountFields, type Amounts, amount_params, amountParams } from './invoice-amounts.tsx'
import { useProjects } from './reads.ts'

type AmountParams = NonNullable<ReturnType<typeof amountParams>>

interface NewInvoiceProps {
  readonly workspace: Workspace
  readonly onClose: () => void
}

export function NewInvoiceDialog({ workspace, onClose }: NewInvoiceProps) {
  const [project, setProject] = useState<string | null>(null)
  const [amounts, setAmounts] = useState<Amounts>({ currency: workspace.default_currency ?? 'EUR', net: '', tax: '' })
  const projects = useProjects(workspace.id)
  const params = amountParams(amounts)
  const write = useWrite({
    write: (atrium, given: AmountParams & { readonly project: string }) =>
      atrium.invoiceDrafts.create({ workspace: workspace.id, ...given }),
    done: () => t('Draft created'),
    toastErrors: false,
  })
  const faults = fieldErrors(write.error)
  const create = async () => {
    if (project === null || params === null) return
    if ((await write.run({ project, ...params })) !== undefined) onClose()
  }
  return (
    <FormDialog
      title={t('New invoice draft')}
      action={t('Create')}
      isReady={project !== null && params !== null}
      write={write}
      fields={['project', ...amount_params]}
      onSubmit={create}
      onClose={onClose}
    >
      <Field label={t('Project')} error={faults.project} required>
        <Combobox
          label={t('Project')}
          placeholder={t('Choose a project')}
          options={(projects.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={project === null ? [] : [project]}
          onChange={([chosen]) => setProject(chosen ?? null)}
        />
      </Field>
      <AmountFields value={amounts} onChange={setAmounts} faults={faults} />
    </FormDialog>
  )
}

interface AmountsDialogProps {
  readonly invoice: InvoiceDraft
  readonly onClose: () => void
}

/** The write is refused if the invoice changed after the dialog opened. */
export function AmountsDialog({ invoice, onClose }: AmountsDialogProps) {
  const [{ revision, currency, net_amount_minor, tax_amount_minor }] = useState(invoice)
  const [amounts, setAmounts] = useState<Amounts>({
    currency,
    net: amountText(net_amount_minor, currency),
    tax: amountText(tax_amount_minor, currency),
  })
  const params = amountParams(amounts)
  const write = useWrite({
    write: (atrium, given: AmountParams) => atrium.invoiceDrafts.update(invoice.id, given, { ifMatch: revision }),
    done: () => t('Amounts saved'),
    toastErrors: false,
  })
  const save = async () => {
    if (params !== null && (await write.run(params)) !== undefined) onClose()
  }
  return (
    <FormDialog
      title={t('Edit amounts')}
      action={t('Save')}
      isReady={params !== null}
      write={write}
      fields={amount_params}
      onSubmit={save}
      onClose={onClose}
    >
      <AmountFields value={amounts} onChange={setAmounts} faults={fieldErrors(write.error)} />
    </FormDialog>
  )
}
