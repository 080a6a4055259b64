/**
 * Tests a flow from its editor: one run on a chosen task, with samples for what the flow would receive, carried out by the engine and
 * rolled back. The canvas shows its path, a panel what each step would do. Nothing is changed, and no other system is called.
 */
import type { AutomationFlow, AutomationPreview } from '@atrium/sdk'
import { FlaskRound, X } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Button, IconButton, inWords, Notice, StatusBadge, toneOf } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { reasonText } from '../flow-text.tsx'
import { PreviewDialog } from '../preview-dialog.tsx'
import { PreviewSteps } from '../preview-result.tsx'
import type { GraphDraft } from './graph.ts'
import type { NodeMark } from './node-card.tsx'

interface TestButtonProps {
  readonly flow: AutomationFlow
  readonly isBusy: boolean
  /** Saves the draft if it was changed; false if that failed. */
  readonly prepare: () => Promise<boolean>
  readonly onTested: (preview: AutomationPreview) => void
}

export function TestButton({ flow, isBusy, prepare, onTested }: TestButtonProps) {
  const [isOpen, setOpen] = useState(false)
  const open = async () => {
    if (await prepare()) setOpen(true)
  }
  const show = (preview: AutomationPreview) => {
    setOpen(false)
    onTested(preview)
  }
  return (
    <>
      <Button icon={FlaskRound} busy={isBusy} onClick={() => void open()}>
        {t('Test flow')}
      </Button>
      {isOpen && <PreviewDialog flow={flow} onTested={show} onClose={() => setOpen(false)} />}
    </>
  )
}

/** The result of the last test, until the draft is changed. */
export function useTest(graph: GraphDraft, select: (ids: readonly string[]) => void) {
  const [tested, setTested] = useState<{ readonly graph: string; readonly preview: AutomationPreview } | null>(null)
  const text = useMemo(() => textOf(graph), [graph])
  const preview = tested?.graph === text ? tested.preview : null
  const marks = useMemo(() => (preview === null ? new Map<string, NodeMark>() : marksOf(preview)), [preview])
  const show = (result: AutomationPreview) => {
    select([])
    setTested({ graph: text, preview: result })
  }
  return { preview, marks, show, end: () => setTested(null) }
}

/** Notes and places change no test. */
function textOf({ nodes, edges, settings }: GraphDraft): string {
  return JSON.stringify([nodes.map(({ ui: _, ...node }) => node), edges, settings])
}

function marksOf({ trigger, steps }: AutomationPreview): ReadonlyMap<string, NodeMark> {
  const starts = trigger.status !== 'would_not_start'
  const started = { tone: toneOf(trigger.status), text: inWords(trigger.status), isTaken: starts }
  const marks = new Map<string, NodeMark>([[trigger.node, started]])
  for (const { node, status } of steps) {
    marks.set(node, { tone: toneOf(status), text: inWords(status), isTaken: status !== 'would_skip' })
  }
  return marks
}

interface TestPanelProps {
  readonly preview: AutomationPreview
  readonly graph: GraphDraft
  readonly onClose: () => void
}

export function TestPanel({ preview, graph, onClose }: TestPanelProps) {
  const { trigger, warnings } = preview
  return (
    <aside className="flow-panel" aria-label={t('Result of the test')}>
      <div className="stack">
        <div className="flow-panel-head">
          <h2 className="section-title grow">{t('Result of the test')}</h2>
          <IconButton icon={X} label={t('End test')} onClick={onClose} />
        </div>
        <p className="subtle">{t('The engine has run the flow and rolled it back: nothing was changed or sent.')}</p>
        {warnings.map(({ code, message }) => (
          <Notice key={`${code} ${message}`} tone="warn" title={inWords(code)}>
            {message}
          </Notice>
        ))}
        <div>
          <StatusBadge status={trigger.status} /> {trigger.reason !== null && reasonText(trigger.reason)}
        </div>
        <PreviewSteps preview={preview} graph={graph} />
      </div>
    </aside>
  )
}
