/** Making an invoice draft, and changing the amounts of one that is not final. */
import type { InvoiceDraft, Workspace } from '@atrium/sdk'
import { useState } from 'react'
import { FormError } from '../../app/error-state.tsx'
import { faultsOf, useWrite } from '../../data/index.ts'
import { Button, Combobox, Dialog, Field } from '../../design/index.ts'
import { typed } from './amounts.ts'
import { AmountFields, type Amounts, amount_params, readAmounts } from './invoice-amounts.tsx'
import { useProjects } from './reads.ts'

type Read = NonNullable<ReturnType<typeof readAmounts>>

interface NewInvoiceProps {
  readonly workspace: Workspace
  readonly onClose: () => void
}

export function NewInvoiceDialog({ workspace, onClose }: NewInvoiceProps) {
  const [project, setProject] = useState<string | null>(null)
  const [amounts, setAmounts] = useState<Amounts>({ currency: workspace.default_currency ?? 'EUR', net: '', tax: '' })
  const projects = useProjects(workspace.id)
  const read = readAmounts(amounts)
  const write = useWrite({
    write: (atrium, given: Read & { readonly project: string }) =>
      atrium.invoiceDrafts.create({ workspace: workspace.id, ...given }),
    done: () => 'Draft made',
    toastErrors: false,
  })
  const faults = faultsOf(write.error)
  const send = async () => {
    if (project === null || read === null) return
    if ((await write.run({ project, ...read })) !== undefined) onClose()
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
          <Button kind="primary" type="submit" busy={write.busy} disabled={project === null || read === null}>
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
        <AmountFields value={amounts} onChange={setAmounts} faults={faults} />
        <FormError error={write.error} at={['project', ...amount_params]} />
      </div>
    </Dialog>
  )
}

interface AmountsDialogProps {
  readonly invoice: InvoiceDraft
  readonly onClose: () => void
}

/** Refused where somebody else has changed the invoice since the dialog was opened. */
export function AmountsDialog({ invoice, onClose }: AmountsDialogProps) {
  const [{ revision, currency, net_amount_minor, tax_amount_minor }] = useState(invoice)
  const [amounts, setAmounts] = useState<Amounts>({
    currency,
    net: typed(net_amount_minor, currency),
    tax: typed(tax_amount_minor, currency),
  })
  const read = readAmounts(amounts)
  const write = useWrite({
    write: (atrium, given: Read) => atrium.invoiceDrafts.update(invoice.id, given, { ifMatch: revision }),
    done: () => 'Amounts changed',
    toastErrors: false,
  })
  const send = async () => {
    if (read !== null && (await write.run(read)) !== undefined) onClose()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Change the amounts"
      onSubmit={() => !write.busy && void send()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={write.busy} disabled={read === null}>
            Save the amounts
          </Button>
        </>
      }
    >
      <div className="stack">
        <AmountFields value={amounts} onChange={setAmounts} faults={faultsOf(write.error)} />
        <FormError error={write.error} at={amount_params} />
      </div>
    </Dialog>
  )
}
