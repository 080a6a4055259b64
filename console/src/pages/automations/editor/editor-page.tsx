/**
 * The editor of a flow's graph: a canvas, the settings of the selected step, and the server's check while one edits. What is
 * not saved is kept in the tab, also over a reload. Saving without a change sends nothing, so the graph keeps its hash.
 */
import './canvas.css'
import type { AutomationFlow } from '@atrium/sdk'
import { FlaskConical, LayoutDashboard, Pause, Plus, Redo2, Save, Undo2 } from 'lucide-react'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { Link, useParams } from 'wouter'
import { ErrorState } from '../../../app/error-state.tsx'
import { useObject, useWrite } from '../../../data/index.ts'
import { Badge, Button, IconButton, Menu, Notice, Page, SkeletonLines } from '../../../design/index.ts'
import { PreviewDialog } from '../preview-dialog.tsx'
import { addItems } from './add-step.tsx'
import { arranged, placesOf } from './arrange.ts'
import { useNameOf } from './choices.ts'
import { useDraft } from './draft.ts'
import { type Check, useFaults } from './faults.ts'
import { type CanvasEdit, FlowCanvas } from './flow-canvas.tsx'
import {
  addNode,
  changeNode,
  connect,
  freshId,
  type GraphDraft,
  graphOf,
  moveNodes,
  type NodeDraft,
  partOf,
  paste,
  removeEdges,
  removeNodes,
} from './graph.ts'
import { kindOf } from './kinds.ts'
import type { NodeMark } from './node-card.tsx'
import { NodePanel } from './node-panel.tsx'
import { placeFor } from './places.ts'

export function EditorPage() {
  const { id = '' } = useParams()
  const flow = useObject('automation_flow', id, (atrium) => atrium.automationFlows.retrieve(id))
  const trail = (
    <>
      <Link href="/automations">Automations</Link>
      <Link href={`/automations/${id}`}>{flow.data?.name ?? 'Flow'}</Link>
    </>
  )
  if (flow.data !== undefined) return <Editor key={flow.data.id} flow={flow.data} trail={trail} />
  return (
    <Page title="Edit flow" trail={trail} width="full">
      {flow.error ? <ErrorState error={flow.error} onRetry={() => void flow.refetch()} /> : <SkeletonLines lines={8} />}
    </Page>
  )
}

function Editor({ flow, trail }: { readonly flow: AutomationFlow; readonly trail: React.ReactNode }) {
  const draft = useDraft(flow)
  const { graph, isChanged } = draft
  const [selected, setSelected] = useState<readonly string[]>([])
  const [isPreviewed, setPreviewed] = useState(false)
  const check = useFaults(flow, graph, isChanged)
  const nameOf = useNameOf(flow.workspace)
  const marks = useMemo(() => marksOf(check), [check])
  const edit = useEdit(draft, setSelected)
  const [only] = selected
  const node = selected.length === 1 ? graph.nodes.find(({ id }) => id === only) : undefined
  const isLocked = flow.status === 'active'
  return (
    <Page
      title={flow.name}
      trail={trail}
      width="full"
      fixed
      actions={
        <Tools
          flow={flow}
          draft={draft}
          check={check}
          onAdd={(type) => edit.add(type)}
          onPreview={() => setPreviewed(true)}
        />
      }
    >
      {isLocked && <Locked flow={flow} />}
      <Problems check={check} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of the canvas inside, which has the focus */}
      <div className="flow-editor" onKeyDown={(event) => !isLocked && onKeys(event, draft, selected, setSelected)}>
        <FlowCanvas
          graph={graph}
          nameOf={nameOf}
          marks={marks}
          selected={selected}
          {...(isLocked ? {} : { edit: edit.canvas })}
        />
        {node !== undefined && !isLocked && (
          <NodePanel
            key={`${node.id} ${draft.undone}`}
            graph={graph}
            node={node}
            workspace={flow.workspace}
            faults={check.faults.filter((fault) => fault.node === node.id)}
            onChange={(change, kind) => draft.change((before) => changeNode(before, node.id, change), kind)}
            onRemove={() => edit.canvas.onRemove(new Set([node.id]), new Set())}
          />
        )}
      </div>
      {isPreviewed && <PreviewDialog flow={flow} onClose={() => setPreviewed(false)} />}
    </Page>
  )
}

type Draft = ReturnType<typeof useDraft>

interface ToolsProps {
  readonly flow: AutomationFlow
  readonly draft: Draft
  readonly check: Check
  readonly onAdd: (type: string) => void
  readonly onPreview: () => void
}

function Tools({ flow, draft, check, onAdd, onPreview }: ToolsProps) {
  const { graph, isChanged, change, undo, redo, canUndo, canRedo } = draft
  const write = useWrite({
    write: (atrium, next: GraphDraft) =>
      atrium.automationFlows.update(
        flow.id,
        { workspace: flow.workspace, graph: graphOf(next) },
        { ifMatch: flow.revision },
      ),
    waits: false,
    done: ({ name }) => `${name} saved`,
  })
  const save = async () => {
    const saved = await write.run(graph)
    if (saved !== undefined) draft.saved(saved)
  }
  if (flow.status === 'active') return null
  return (
    <>
      <span className="flow-check">
        <CheckBadge check={check} isChanged={isChanged} />
      </span>
      <IconButton icon={Undo2} label="Undo" keys="mod+z" disabled={!canUndo} onClick={undo} />
      <IconButton icon={Redo2} label="Redo" keys="mod+shift+z" disabled={!canRedo} onClick={redo} />
      <IconButton
        icon={LayoutDashboard}
        label="Arrange"
        onClick={() => change((before) => moveNodes(before, arranged(before)))}
      />
      <Menu trigger={<Button icon={Plus}>Add step</Button>} items={addItems(onAdd, 'all')} />
      {isChanged ? (
        <Button kind="primary" icon={Save} busy={write.busy} onClick={() => void save()}>
          Save
        </Button>
      ) : (
        <Button kind="primary" icon={FlaskConical} onClick={onPreview}>
          Preview and activate
        </Button>
      )}
    </>
  )
}

function CheckBadge({ check, isChanged }: { readonly check: Check; readonly isChanged: boolean }) {
  if (!isChanged) return null
  if (check.state === 'valid') return <Badge tone="good">No problems</Badge>
  if (check.state === 'checking') return <Badge>Checking</Badge>
  const count = check.faults.length
  return check.state === 'invalid' ? <Badge tone="bad">{count === 1 ? '1 problem' : `${count} problems`}</Badge> : null
}

/** Problems of the graph as a whole; those of a step are shown at it. */
function Problems({ check }: { readonly check: Check }) {
  const general = check.faults.filter(({ node }) => node === null)
  if (general.length === 0) return null
  return (
    <Notice tone="bad" title="The flow cannot be saved yet">
      {general.map(({ message }) => message).join(' ')}
    </Notice>
  )
}

/** The contract changes drafts and paused flows only. */
function Locked({ flow }: { readonly flow: AutomationFlow }) {
  const pause = useWrite({
    write: (atrium) =>
      atrium.automationFlows.pause(flow.id, { workspace: flow.workspace, reason: 'Paused to be edited.' }),
    done: ({ name }) => `${name} paused`,
  })
  return (
    <Notice
      tone="info"
      title="This flow is active"
      actions={
        <Button icon={Pause} busy={pause.busy} onClick={() => void pause.run(undefined)}>
          Pause and edit
        </Button>
      }
    >
      While it is paused, nothing starts it. Runs in progress continue with the version that started them.
    </Notice>
  )
}

function marksOf(check: Check): ReadonlyMap<string, NodeMark> {
  const marks = new Map<string, NodeMark>()
  for (const { node } of check.faults) if (node !== null) marks.set(node, { tone: 'bad', text: 'Problem' })
  return marks
}

/** Changes by the canvas and the menu of steps. A new step is selected, so that its settings are open. */
function useEdit({ graph, change }: Draft, select: (ids: readonly string[]) => void) {
  const latest = useRef(graph)
  latest.current = graph
  return useMemo(() => {
    const add = (type: string, from?: { readonly node: string; readonly port: string }) => {
      const id = freshId(latest.current, type)
      change((before) => withStep(before, { id, type, config: kindOf(type).config }, from))
      select([id])
    }
    const canvas: CanvasEdit = {
      onSelect: select,
      onMove: (places) => change((before) => moveNodes(before, places)),
      onConnect: (source, port, target) => change((before) => connect(before, source, port, target)),
      onRemove: (ids, edges) => change((before) => removeNodes(removeEdges(before, edges), ids)),
      onAdd: add,
    }
    return { add, canvas }
  }, [change, select])
}

/** Adds a step beside the one it follows, in the same loop. All steps keep the places they are drawn at. */
function withStep(
  graph: GraphDraft,
  step: NodeDraft,
  from?: { readonly node: string; readonly port: string },
): GraphDraft {
  const places = placesOf(graph)
  const { x, y } = placeFor(graph, places, from)
  const parent = graph.nodes.find(({ id }) => id === from?.node)?.parent
  return addNode(moveNodes(graph, places), { ...step, ...(parent ? { parent } : {}), ui: { x, y } }, from)
}

let clipboard: GraphDraft | null = null
const paste_px = 40

function onKeys(
  event: KeyboardEvent,
  draft: Draft,
  selected: readonly string[],
  select: (ids: readonly string[]) => void,
) {
  const isTyping =
    event.target instanceof HTMLElement && event.target.closest('input, textarea, select, [role="combobox"]') !== null
  if (isTyping || !(event.ctrlKey || event.metaKey)) return
  const key = event.key.toLowerCase()
  const actions: Readonly<Record<string, () => void>> = {
    z: event.shiftKey ? draft.redo : draft.undo,
    y: draft.redo,
    a: () => select(draft.graph.nodes.map(({ id }) => id)),
    c: () => {
      if (selected.length > 0) clipboard = partOf(moveNodes(draft.graph, placesOf(draft.graph)), new Set(selected))
    },
    v: () => {
      if (clipboard === null) return
      const pasted = paste(draft.graph, clipboard, paste_px)
      draft.change(() => pasted.graph)
      select(pasted.ids)
    },
  }
  const action = actions[key]
  if (action === undefined) return
  event.preventDefault()
  event.stopPropagation()
  action()
}
