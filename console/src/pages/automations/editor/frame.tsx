/** What the canvas and the sentence of a flow share: reading the flow, tabs, saving, the check's results, the lock of an active flow. */
import '../../../design/tabs.css'
import './frame.css'
import type { AutomationFlow, AutomationPreview } from '@atrium/sdk'
import { FlaskConical, Pause, Redo2, Save, Undo2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link, useParams } from 'wouter'
import { ErrorState } from '../../../app/error-state.tsx'
import { useObject, useWrite } from '../../../data/index.ts'
import { Badge, Button, IconButton, Notice, Page, SkeletonLines } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { PreviewDialog } from '../preview-dialog.tsx'
import type { useDraft } from './draft.ts'
import type { Check } from './faults.ts'
import { type GraphDraft, graphOf } from './graph.ts'
import { TestButton } from './test-flow.tsx'

export type Draft = ReturnType<typeof useDraft>

export interface EditorProps {
  readonly flow: AutomationFlow
  readonly trail: ReactNode
}

/** Reads the flow of the address and shows an editor of it. */
export function EditorFrame({ editor: Editor }: { readonly editor: (props: EditorProps) => ReactNode }) {
  const { id = '' } = useParams()
  const flow = useObject('automation_flow', id, (atrium) => atrium.automationFlows.retrieve(id))
  const trail = (
    <>
      <Link href="/automations">{t('Automations')}</Link>
      <Link href={`/automations/${id}`}>{flow.data?.name ?? t('Flow')}</Link>
    </>
  )
  if (flow.data !== undefined) return <Editor key={flow.data.id} flow={flow.data} trail={trail} />
  return (
    <Page title={t('Edit flow')} trail={trail} width="full">
      {flow.error ? <ErrorState error={flow.error} onRetry={() => void flow.refetch()} /> : <SkeletonLines lines={8} />}
    </Page>
  )
}

const tabs = [
  { id: 'sentence', title: t('Sentence') },
  { id: 'edit', title: t('Canvas') },
] as const

/** Both edit the same draft: what is not saved goes along. */
export function EditorTabs({ flow, here }: { readonly flow: AutomationFlow; readonly here: 'sentence' | 'edit' }) {
  return (
    <nav className="tabs" aria-label={t('Editors')}>
      {tabs.map(({ id, title }) => (
        <Link
          key={id}
          className="tab"
          href={`/automations/${flow.id}/${id}`}
          aria-current={id === here ? 'page' : undefined}
          data-state={id === here ? 'active' : undefined}
        >
          {title}
        </Link>
      ))}
    </nav>
  )
}

interface DraftToolsProps {
  readonly flow: AutomationFlow
  readonly draft: Draft
  readonly check: Check
  /** Between undo and save. */
  readonly children?: ReactNode
  /** Takes the result of a test; without it the flow is not tested here. */
  readonly onTested?: (preview: AutomationPreview) => void
}

export function DraftTools({ flow, draft, check, children, onTested }: DraftToolsProps) {
  const { graph, isChanged, changedParts, undo, redo, canUndo, canRedo } = draft
  const isActive = flow.status === 'active'
  const [isPreviewed, setPreviewed] = useState(false)
  const write = useWrite({
    write: (atrium, next: GraphDraft) =>
      atrium.automationFlows.update(
        flow.id,
        {
          workspace: flow.workspace,
          ...(changedParts.graph && { graph: graphOf(next) }),
          ...(changedParts.notes && { notes: next.notes ?? [] }),
        },
        { ifMatch: flow.revision },
      ),
    waits: false,
    done: ({ name }) => t('{name} saved', { name }),
  })
  const save = async () => {
    const saved = await write.run(graph)
    if (saved !== undefined) draft.saved(saved)
    return saved !== undefined
  }
  // What is tested is what is saved: a test of a draft saves it first.
  const prepare = async () => !isChanged || (await save())
  // An active flow takes notes, which are added on the canvas.
  if (isActive && children === undefined) return null
  return (
    <>
      <span className="flow-check">
        <CheckBadge check={check} isChanged={isChanged} />
      </span>
      <IconButton icon={Undo2} label={t('Undo')} keys="mod+z" disabled={!canUndo} onClick={undo} />
      <IconButton icon={Redo2} label={t('Redo')} keys="mod+shift+z" disabled={!canRedo} onClick={redo} />
      {children}
      {isChanged ? (
        <Button kind="primary" icon={Save} busy={write.busy} onClick={() => void save()}>
          {t('Save')}
        </Button>
      ) : isActive ? null : (
        <Button kind="primary" icon={FlaskConical} onClick={() => setPreviewed(true)}>
          {t('Preview and activate')}
        </Button>
      )}
      {onTested !== undefined && <TestButton flow={flow} isBusy={write.busy} prepare={prepare} onTested={onTested} />}
      {isPreviewed && <PreviewDialog flow={flow} onClose={() => setPreviewed(false)} />}
    </>
  )
}

function CheckBadge({ check, isChanged }: { readonly check: Check; readonly isChanged: boolean }) {
  if (!isChanged) return null
  if (check.state === 'valid') return <Badge tone="good">{t('No problems')}</Badge>
  if (check.state === 'checking') return <Badge>{t('Checking')}</Badge>
  const count = check.faults.length
  return check.state === 'invalid' ? (
    <Badge tone="bad">{t('{count, plural, one {1 problem} other {# problems}}', { count })}</Badge>
  ) : null
}

/** Problems of the graph as a whole; those of a step are shown at it. */
export function Problems({ check }: { readonly check: Check }) {
  const general = check.faults.filter(({ node }) => node === null)
  if (general.length === 0) return null
  return (
    <Notice tone="bad" title={t('The flow cannot be saved yet')}>
      {general.map(({ message }) => message).join(' ')}
    </Notice>
  )
}

/** The contract changes drafts and paused flows only. */
export function Locked({ flow }: { readonly flow: AutomationFlow }) {
  const pause = useWrite({
    write: (atrium) =>
      atrium.automationFlows.pause(flow.id, { workspace: flow.workspace, reason: t('Paused to be edited.') }),
    done: ({ name }) => t('{name} paused', { name }),
  })
  return (
    <Notice
      tone="info"
      title={t('This flow is active')}
      actions={
        <Button icon={Pause} busy={pause.busy} onClick={() => void pause.run(undefined)}>
          {t('Pause and edit')}
        </Button>
      }
    >
      {t('While it is paused, nothing starts it. Runs in progress continue with the version that started them.')}
    </Notice>
  )
}
