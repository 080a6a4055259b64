/** Hourly rates of a workspace, its projects and people. The narrowest rate applies. */
import './money.css'
import type { BillingRate, Workspace } from '@atrium/sdk'
import { Coins, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { ErrorState } from '../../app/error-state.tsx'
import { FormDialog } from '../../app/form-dialog.tsx'
import { fieldErrors, useAll, useDirectory, useWrite } from '../../data/index.ts'
import {
  Button,
  Combobox,
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
import { inSentence, t } from '../../language/index.ts'
import { amountFault, minorOf, money } from './amounts.ts'
import { useProjects } from './reads.ts'
import { useWorkspace } from './workspace-choice.tsx'

export function RatesPage() {
  const { workspace, choice, missing } = useWorkspace()
  const [isCreating, setCreating] = useState(false)
  const id = workspace?.id ?? ''
  const rates = useAll(
    'billing_rate',
    { workspace: id },
    (atrium) => atrium.billingRates.list({ workspace: id, limit: 100 }),
    { enabled: workspace !== undefined },
  )
  const create = (
    <Button kind="primary" icon={Plus} disabled={workspace === undefined} onClick={() => setCreating(true)}>
      {t('New rate')}
    </Button>
  )
  return (
    <Page
      title={t('Rates')}
      description={t('Hourly rates. A person’s rate overrides the project’s, which overrides the workspace’s.')}
      actions={
        <>
          {choice}
          {create}
        </>
      }
    >
      {missing ??
        (rates.error ? (
          <ErrorState error={rates.error} onRetry={() => void rates.refetch()} />
        ) : (
          <Table
            label={t('Rates')}
            columns={columns}
            rows={rates.data}
            rowKey={(rate) => rate.id}
            empty={
              <Empty icon={Coins} title={t('No rates yet')} actions={create}>
                {t('Start with a rate for the workspace, then add exceptions for projects and people.')}
              </Empty>
            }
            expected={3}
          />
        ))}
      {isCreating && workspace !== undefined && <RateDialog workspace={workspace} onClose={() => setCreating(false)} />}
    </Page>
  )
}

type Scope = 'workspace' | 'project' | 'user'

const scopes = [
  { value: 'workspace', label: t('Workspace') },
  { value: 'project', label: t('Project') },
  { value: 'user', label: t('Person') },
] as const

function RateTarget({ rate }: { readonly rate: BillingRate }) {
  const { nameOf, isLoaded } = useDirectory()
  const projects = useProjects(rate.workspace)
  if (rate.target === null) return <>{t('Whole workspace')}</>
  if (!isLoaded || projects.isPending) return <Skeleton width="8rem" />
  return <>{projects.data?.find(({ id }) => id === rate.target)?.name ?? nameOf(rate.target)}</>
}

function DeleteRate({ rate }: { readonly rate: BillingRate }) {
  const write = useWrite({
    write: (atrium, id: string) => atrium.billingRates.delete(id),
    done: () => t('Rate deleted'),
    undo: () => (atrium) => {
      const { workspace, scope, target, currency, amount_minor } = rate
      return atrium.billingRates.create({ workspace, scope: scope as Scope, target, currency, amount_minor })
    },
  })
  return (
    <IconButton
      icon={Trash2}
      label={t('Delete rate')}
      size="s"
      disabled={write.busy}
      onClick={() => void write.run(rate.id)}
    />
  )
}

const columns: readonly TableColumn<BillingRate>[] = [
  { key: 'target', title: t('Applies to'), cell: (rate) => <RateTarget rate={rate} /> },
  {
    key: 'scope',
    title: t('Scope'),
    width: '8rem',
    from: 'wide',
    cell: ({ scope }) => scopes.find(({ value }) => value === scope)?.label ?? scope,
  },
  {
    key: 'amount',
    title: t('Per hour'),
    width: '8rem',
    align: 'end',
    cell: ({ amount_minor, currency }) => money(amount_minor, currency),
  },
  {
    key: 'remove',
    title: t('Actions'),
    width: '3.5rem',
    align: 'end',
    hiddenTitle: true,
    cell: (rate) => <DeleteRate rate={rate} />,
  },
]

interface RateDialogProps {
  readonly workspace: Workspace
  readonly onClose: () => void
}

function RateDialog({ workspace, onClose }: RateDialogProps) {
  const currency = workspace.default_currency ?? 'EUR'
  const [scope, setScope] = useState<Scope>('workspace')
  const [target, setTarget] = useState<string | null>(null)
  const [text, setText] = useState('')
  const amount = minorOf(text, currency)
  const write = useWrite({
    write: (atrium, amount_minor: number) =>
      atrium.billingRates.create({ workspace: workspace.id, scope, target, currency, amount_minor }),
    done: () => t('Rate created'),
    toastErrors: false,
  })
  const create = async () => {
    if (amount !== null && (await write.run(amount)) !== undefined) onClose()
  }
  const choose = (next: Scope) => {
    setScope(next)
    setTarget(null)
  }
  const fault = fieldErrors(write.error).amount_minor ?? amountFault(text, currency)
  return (
    <FormDialog
      title={t('New rate')}
      action={t('Create')}
      isReady={amount !== null && (scope === 'workspace' || target !== null)}
      write={write}
      fields={['amount_minor']}
      onSubmit={create}
      onClose={onClose}
    >
      <Segments label={t('Scope')} value={scope} choices={scopes} onChange={choose} />
      {scope !== 'workspace' && (
        <TargetField workspace={workspace.id} scope={scope} value={target} onChange={setTarget} />
      )}
      <Field label={t('Rate per hour ({currency})', { currency })} error={fault} required>
        <Input inputMode="decimal" value={text} onChange={({ currentTarget }) => setText(currentTarget.value)} />
      </Field>
    </FormDialog>
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
  const targets = scope === 'user' ? active : (projects.data ?? [])
  const label = scope === 'user' ? t('Person') : t('Project')
  return (
    <Field label={label} required>
      <Combobox
        label={label}
        placeholder={t('Choose a {label}', { label: inSentence(label) })}
        options={targets.map(({ id, name }) => ({ value: id, label: name }))}
        value={value === null ? [] : [value]}
        onChange={([next]) => onChange(next ?? null)}
      />
    </Field>
  )
}
