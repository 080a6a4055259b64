/**
 * The editor of a flow's graph: a canvas, the settings of the selected step, and the server's check while one edits. What is
 * not saved is kept in the tab, also over a reload. Saving without a change sends nothing, so the graph keeps its hash.
 */
import './canvas.css'
import { LayoutDashboard, Plus, StickyNote } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useSearch } from 'wouter'
import { Button, IconButton, Menu, Page } from '../../../design/index.ts'
import { keyDepth } from '../../../design/key-layer.tsx'
import { t } from '../../../language/index.ts'
import { type ExampleTask, FormulaPlaceProvider } from '../formula/formula-place.tsx'
import { addItems } from './add-step.tsx'
import { arranged, placesOf } from './arrange.ts'
import { useCardWords } from './card-words.ts'
import { useDraft } from './draft.ts'
import { type Check, useFaults } from './faults.ts'
import { type CanvasEdit, FlowCanvas, type NotesEdit } from './flow-canvas.tsx'
import { type Draft, DraftTools, EditorFrame, type EditorProps, EditorTabs, Locked, Problems } from './frame.tsx'
import {
  changeNode,
  connect,
  freshId,
  type GraphDraft,
  moveNodes,
  type NodeDraft,
  partOf,
  paste,
  removeEdges,
  removeNodes,
} from './graph.ts'
import { kindOf } from './kinds.ts'
import { type From, withNewStep, withStep } from './new-step.ts'
import type { NodeMark } from './node-card.tsx'
import { NodePanel } from './node-panel.tsx'
import { NotePanel } from './note-card.tsx'
import { changeNote, keyOf, noteAt, notes_max, notesOf, withNewNote } from './notes.ts'
import { TestPanel, useTest } from './test-flow.tsx'

export function EditorPage() {
  return <EditorFrame editor={CanvasEditor} />
}

function CanvasEditor({ flow, trail }: EditorProps) {
  const draft = useDraft(flow)
  const { graph, isChanged } = draft
  // A sentence that cannot say a step leads here.
  const named = new URLSearchParams(useSearch()).get('step')
  const [selected, setSelected] = useState<readonly string[]>(named === null ? [] : [named])
  const [task, selectTask] = useState<string | null>(null)
  const [call, giveCall] = useState<ExampleTask['call']>()
  const example = useMemo(() => ({ id: task, select: selectTask, give: giveCall, ...(call && { call }) }), [task, call])
  const check = useFaults(flow, graph, isChanged)
  const words = useCardWords(flow.workspace)
  const test = useTest(graph, setSelected)
  const marks = useMemo(() => new Map([...test.marks, ...marksOf(check)]), [check, test.marks])
  const edit = useEdit(draft, selected, setSelected)
  const isLocked = flow.status === 'active'
  useKeys((event) => onKeys(event, draft, selected, setSelected, isLocked))
  return (
    <Page
      title={flow.name}
      trail={trail}
      width="full"
      fixed
      tabs={<EditorTabs flow={flow} here="edit" />}
      actions={
        <DraftTools flow={flow} draft={draft} check={check} onTested={test.show}>
          <CanvasTools draft={draft} edit={edit} isLocked={isLocked} />
        </DraftTools>
      }
    >
      {isLocked && <Locked flow={flow} />}
      <Problems check={check} />
      <div className="flow-editor">
        <FlowCanvas
          graph={graph}
          words={words}
          marks={marks}
          selected={selected}
          notesEdit={edit.canvas}
          {...(isLocked ? {} : { edit: edit.canvas })}
        />
        {test.preview !== null && selected.length === 0 && (
          <TestPanel preview={test.preview} graph={graph} onClose={test.end} />
        )}
        {selected.length === 1 && (
          <SelectedPanel id={selected[0] ?? ''} flow={flow} draft={draft} check={check} edit={edit} example={example} />
        )}
      </div>
    </Page>
  )
}

type Edit = ReturnType<typeof useEdit>

interface CanvasToolsProps {
  readonly draft: Draft
  readonly edit: Edit
  readonly isLocked: boolean
}

function CanvasTools({ draft, edit, isLocked }: CanvasToolsProps) {
  return (
    <>
      <IconButton
        icon={StickyNote}
        label={t('Add note')}
        disabled={notesOf(draft.graph).length >= notes_max}
        onClick={edit.addNote}
      />
      {!isLocked && (
        <>
          <IconButton
            icon={LayoutDashboard}
            label={t('Arrange')}
            onClick={() => draft.change((before) => moveNodes(before, arranged(before)))}
          />
          <Menu trigger={<Button icon={Plus}>{t('Add step')}</Button>} items={addItems(edit.add, 'all')} />
        </>
      )}
    </>
  )
}

interface SelectedPanelProps {
  readonly id: string
  readonly flow: EditorProps['flow']
  readonly draft: Draft
  readonly check: Check
  readonly edit: Edit
  readonly example: ExampleTask
}

/** The panel of the selected note or step; the steps of an active flow have none. */
function SelectedPanel({ id, flow, draft, check, edit, example }: SelectedPanelProps) {
  const { graph } = draft
  const remove = () => edit.canvas.onRemove(new Set([id]), new Set())
  const note = noteAt(graph, id)
  if (note !== undefined) {
    return (
      <NotePanel
        key={`${id} ${draft.undone}`}
        note={note}
        onChange={(change, kind) => draft.change((before) => changeNote(before, note.id, change), kind)}
        onRemove={remove}
      />
    )
  }
  const node = graph.nodes.find((each) => each.id === id)
  if (node === undefined || flow.status === 'active') return null
  return (
    <Settings
      key={`${id} ${draft.undone}`}
      flow={flow}
      draft={draft}
      node={node}
      faults={check.faults.filter((fault) => fault.node === id)}
      example={example}
      onRemove={remove}
    />
  )
}

interface SettingsProps {
  readonly flow: EditorProps['flow']
  readonly draft: Draft
  readonly node: NodeDraft
  readonly faults: Check['faults']
  readonly example: ExampleTask
  readonly onRemove: () => void
}

function Settings({ flow: { id, workspace }, draft, node, faults, example, onRemove }: SettingsProps) {
  const { graph, change } = draft
  return (
    <FormulaPlaceProvider flow={id} workspace={workspace} graph={graph} node={node.id} example={example}>
      <NodePanel
        graph={graph}
        node={node}
        workspace={workspace}
        faults={faults}
        onChange={(update, kind) => change((before) => changeNode(before, node.id, update), kind)}
        onRemove={onRemove}
      />
    </FormulaPlaceProvider>
  )
}

function marksOf(check: Check): ReadonlyMap<string, NodeMark> {
  const marks = new Map<string, NodeMark>()
  for (const { node } of check.faults) if (node !== null) marks.set(node, { tone: 'bad', text: t('Problem') })
  return marks
}

/** Changes by the canvas and the menu of steps. A new step is selected, so that its settings are open. */
function useEdit({ graph, change }: Draft, selected: readonly string[], select: (ids: readonly string[]) => void) {
  const latest = useRef({ graph, selected })
  latest.current = { graph, selected }
  return useMemo(() => {
    const addBy = (type: string, insert: (before: GraphDraft, step: NodeDraft) => GraphDraft) => {
      const id = freshId(latest.current.graph, type)
      change((before) => insert(before, { id, type, config: kindOf(type).config }))
      select([id])
    }
    const add = (type: string) => {
      const { selected } = latest.current
      addBy(type, (before, step) => withNewStep(before, step, selected))
    }
    const addNote = () => {
      const { graph } = latest.current
      const added = withNewNote(graph, placesOf(graph))
      change(() => added.graph)
      select([added.key])
    }
    const canvas: CanvasEdit & NotesEdit = {
      onNote: (id, note) => change((before) => changeNote(before, id, note)),
      onSelect: select,
      onMove: (places) => change((before) => moveNodes(before, places)),
      onConnect: (source, port, target) => change((before) => connect(before, source, port, target)),
      onRemove: (ids, edges) => change((before) => removeNodes(removeEdges(before, edges), ids)),
      onAdd: (type: string, from: From) => addBy(type, (before, step) => withStep(before, step, from)),
    }
    return { add, addNote, canvas }
  }, [change, select])
}

/**
 * The keys of the editor hold on the whole page. The focus leaves the canvas when a step is removed, and the page's own undo
 * would take back the last change of a task then.
 */
function useKeys(onKey: (event: KeyboardEvent) => void): void {
  const latest = useRef(onKey)
  latest.current = onKey
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!event.defaultPrevented && keyDepth() === 0) latest.current(event)
    }
    // Before the page's shortcuts, which listen at the window.
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
}

let clipboard: GraphDraft | null = null
const paste_px = 40

function onKeys(
  event: KeyboardEvent,
  draft: Draft,
  selected: readonly string[],
  select: (ids: readonly string[]) => void,
  isLocked: boolean,
) {
  const isTyping =
    event.target instanceof HTMLElement &&
    event.target.closest('input, textarea, select, [contenteditable="true"], [role="combobox"]') !== null
  if (isTyping || !(event.ctrlKey || event.metaKey)) return
  // Text that is selected is copied as text.
  const isText = event.key.toLowerCase() === 'c' && getSelection()?.isCollapsed === false
  if (isText) return
  const key = event.key.toLowerCase()
  const actions: Readonly<Record<string, () => void>> = {
    z: event.shiftKey ? draft.redo : draft.undo,
    y: draft.redo,
    a: () => select([...draft.graph.nodes.map(({ id }) => id), ...notesOf(draft.graph).map(keyOf)]),
    c: () => {
      if (selected.length > 0) clipboard = partOf(moveNodes(draft.graph, placesOf(draft.graph)), new Set(selected))
    },
    v: () => {
      if (clipboard === null) return
      // An active flow takes notes only.
      const copied = isLocked ? { ...clipboard, nodes: [], edges: [] } : clipboard
      const pasted = paste(draft.graph, copied, paste_px)
      draft.change(() => pasted.graph)
      select(pasted.ids)
    },
  }
  const action = actions[key]
  if (action === undefined) return
  event.preventDefault()
  action()
}
