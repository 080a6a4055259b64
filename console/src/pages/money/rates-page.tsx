/** What an hour costs: for a workspace, a project, a person. The narrower one counts. */
import './money.css'
import type { BillingRate, Workspace } from '@atrium/sdk'
import { Coins, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { ErrorState, FormError } from '../../app/error-state.tsx'
import { faultsOf, useAll, useDirectory, useWrite } from '../../data/index.ts'
import {
  Button,
  Combobox,
  Dialog,
  Empty,
  Field,
  IconButton,
  Input,
  Page,
  Segments,
  Skeleton,
  Table,
  type TableColumn,
} from '../../design/index.ts'
import { minorOf, money } from './amounts.ts'
import { useProjects } from './reads.ts'
import { useWorkspace } from './workspace-choice.tsx'

export function RatesPage() {
  const { workspace, error, choice } = useWorkspace()
  const [isMaking, setMaking] = useState(false)
  const id = workspace?.id ?? ''
  const rates = useAll(
    'billing_rate',
    { workspace: id },
    (atrium) => atrium.billingRates.list({ workspace: id, limit: 100 }),
    {
      enabled: workspace !== undefined,
    },
  )
  const failed = error ?? rates.error
  return (
    <Page
      title="Rates"
      description="What an hour is charged at. A person’s rate counts before a project’s, and that before the workspace’s."
      actions={
        <>
          {choice}
          <Button kind="primary" icon={Plus} disabled={workspace === undefined} onClick={() => setMaking(true)}>
            New rate
          </Button>
        </>
      }
    >
      {failed ? (
        <ErrorState error={failed} onRetry={() => void rates.refetch()} />
      ) : (
        <Table
          label="Rates"
          columns={columns}
          rows={rates.data}
          rowKey={(rate) => rate.id}
          empty={
            <Empty icon={Coins} title="No rates">
              Begin with one for the workspace; others are exceptions to it.
            </Empty>
          }
          expected={3}
        />
      )}
      {isMaking && workspace !== undefined && <RateDialog workspace={workspace} onClose={() => setMaking(false)} />}
    </Page>
  )
}

function RateTarget({ rate }: { readonly rate: BillingRate }) {
  const { nameOf, isLoaded } = useDirectory()
  const projects = useProjects(rate.workspace)
  if (rate.target === null) return <>the whole workspace</>
  if (!isLoaded || projects.isPending) return <Skeleton width="8rem" />
  return <>{projects.data?.find(({ id }) => id === rate.target)?.name ?? nameOf(rate.target)}</>
}

function Remove({ rate }: { readonly rate: BillingRate }) {
  const write = useWrite({
    write: (atrium, id: string) => atrium.billingRates.delete(id),
    done: () => 'Rate deleted',
    undo: () => (atrium) => {
      const { workspace, scope, target, currency, amount_minor } = rate
      return atrium.billingRates.create({ workspace, scope: scope as 'workspace', target, currency, amount_minor })
    },
  })
  return (
    <IconButton
      icon={Trash2}
      label="Delete the rate"
      size="s"
      disabled={write.busy}
      onClick={() => void write.run(rate.id)}
    />
  )
}

const columns: readonly TableColumn<BillingRate>[] = [
  { key: 'scope', title: 'For', width: '8rem', cell: ({ scope }) => scope },
  { key: 'target', title: 'Which', cell: (rate) => <RateTarget rate={rate} /> },
  {
    key: 'amount',
    title: 'An hour',
    width: '8rem',
    align: 'end',
    cell: ({ amount_minor, currency }) => money(amount_minor, currency),
  },
  {
    key: 'remove',
    title: 'Actions',
    width: '3.5rem',
    align: 'end',
    bare: true,
    cell: (rate) => <Remove rate={rate} />,
  },
]

const scopes = [
  { value: 'workspace', label: 'Workspace' },
  { value: 'project', label: 'Project' },
  { value: 'user', label: 'Person' },
] as const

interface RateDialogProps {
  readonly workspace: Workspace
  readonly onClose: () => void
}

function RateDialog({ workspace, onClose }: RateDialogProps) {
  const currency = workspace.default_currency ?? 'EUR'
  const [scope, setScope] = useState<'workspace' | 'project' | 'user'>('workspace')
  const [target, setTarget] = useState<string | null>(null)
  const [text, setText] = useState('')
  const amount = minorOf(text, currency)
  const write = useWrite({
    write: (atrium, amount_minor: number) =>
      atrium.billingRates.create({ workspace: workspace.id, scope, target, currency, amount_minor }),
    done: () => 'Rate set',
    toastErrors: false,
  })
  const isReady = amount !== null && (scope === 'workspace' || target !== null)
  const send = async () => {
    if (amount !== null && (await write.run(amount)) !== undefined) onClose()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="New rate"
      onSubmit={() => isReady && !write.busy && void send()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={write.busy} disabled={!isReady}>
            Set the rate
          </Button>
        </>
      }
    >
      <div className="stack">
        <Segments
          label="For"
          value={scope}
          choices={scopes}
          onChange={(next) => {
            setScope(next)
            setTarget(null)
          }}
        />
        {scope !== 'workspace' && (
          <TargetField workspace={workspace.id} scope={scope} value={target} onChange={setTarget} />
        )}
        <Field label={`An hour, in ${currency}`} error={faultsOf(write.error).amount_minor} required>
          <Input inputMode="decimal" value={text} onChange={({ currentTarget }) => setText(currentTarget.value)} />
        </Field>
        <FormError error={write.error} at={['amount_minor']} />
      </div>
    </Dialog>
  )
}

interface TargetFieldProps {
  readonly workspace: string
  readonly scope: 'project' | 'user'
  readonly value: string | null
  readonly onChange: (target: string | null) => void
}

function TargetField({ workspace, scope, value, onChange }: TargetFieldProps) {
  const { active } = useDirectory()
  const projects = useProjects(workspace)
  const options =
    scope === 'user'
      ? active.map(({ id, name }) => ({ value: id, label: name }))
      : (projects.data ?? []).map(({ id, name }) => ({ value: id, label: name }))
  const label = scope === 'user' ? 'Person' : 'Project'
  return (
    <Field label={label} required>
      <Combobox
        label={label}
        placeholder="Choose"
        options={options}
        value={value === null ? [] : [value]}
        onChange={([next]) => onChange(next ?? null)}
      />
    </Field>
  )
}
