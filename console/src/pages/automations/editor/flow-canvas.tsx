/**
 * A graph as a picture: cards connected from port to port, a frame around the body of each loop. Without `edit` it is only
 * read, by mouse, touch and keyboard; with it, nodes are moved, connected and removed. The graph itself belongs to the page.
 */
import './canvas.css'
import {
  applyNodeChanges,
  Background,
  type Connection,
  Controls,
  type Edge,
  MarkerType,
  MiniMap,
  type Node,
  type NodeChange,
  ReactFlow,
} from '@xyflow/react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useAppearance } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { placesOf } from './arrange.ts'
import { bodyOf, type GraphDraft, isTrigger, type Place, portOf, targetsOf } from './graph.ts'
import { portsOf } from './kinds.ts'
import { type CardData, NodeCard, type NodeMark } from './node-card.tsx'
import { NoteCard, type NoteData } from './note-card.tsx'
import { keyOf, type NoteDraft, notesOf } from './notes.ts'
import { card_height, card_width } from './places.ts'
import { Reveal } from './reveal.tsx'
import { type CardWords, titleOf } from './summary.ts'
import { Zoom } from './zoom.tsx'

export interface CanvasEdit {
  readonly onSelect: (ids: readonly string[]) => void
  readonly onMove: (places: ReadonlyMap<string, Place>) => void
  readonly onConnect: (source: string, port: string, target: string) => void
  readonly onRemove: (ids: ReadonlySet<string>, edges: ReadonlySet<number>) => void
  /** The type of the new step, and the port that leads to it. */
  readonly onAdd: (type: string, from: { readonly node: string; readonly port: string }) => void
}

/** An active flow takes notes, but no other changes. */
export type NotesEdit = Pick<CanvasEdit, 'onSelect' | 'onMove' | 'onRemove'> & {
  readonly onNote: (id: string, change: Partial<NoteDraft>) => void
}

interface FlowCanvasProps {
  readonly graph: GraphDraft
  readonly words: CardWords
  /** What a run or a preview says of each node, or what is wrong with it. */
  readonly marks?: ReadonlyMap<string, NodeMark>
  readonly selected?: readonly string[]
  readonly edit?: CanvasEdit
  readonly notesEdit?: NotesEdit
  /** Selecting a card of a canvas that is only read. */
  readonly onOpen?: (id: string) => void
}

const node_types = { card: NodeCard, frame: LoopFrame, note: NoteCard }
const frame_gap = 24

export function FlowCanvas(props: FlowCanvasProps) {
  const { graph, words, marks, selected, edit, notesEdit, onOpen } = props
  const { theme } = useAppearance()
  const places = useMemo(() => placesOf(graph), [graph])
  const cards = useMemo(
    () => [
      ...noteNodes(graph, selected, notesEdit?.onNote),
      ...cardsOf(graph, places, { words, marks, selected, edit }),
    ],
    [graph, places, words, marks, selected, edit, notesEdit?.onNote],
  )
  const [nodes, setNodes] = useNodes(cards)
  const edges = useMemo(() => edgesOf(graph, marks), [graph, marks])
  const change = changeBy(props, setNodes)
  return (
    <div className="flow-canvas">
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={node_types}
        colorMode={theme === 'system' ? 'system' : theme}
        onNodesChange={change}
        onNodeClick={(_, node) => node.type === 'card' && onOpen?.(node.id)}
        onConnect={(connection) => edit && connectPorts(connection, edit)}
        onDelete={(removed) => notesEdit?.onRemove(idsOf(removed.nodes), indexesOf(removed.edges))}
        isValidConnection={({ source, target }) => source !== target}
        nodesDraggable={edit !== undefined}
        nodesConnectable={edit !== undefined}
        deleteKeyCode={notesEdit === undefined ? null : ['Delete', 'Backspace']}
        // Notes stay behind the cards.
        elevateNodesOnSelect={false}
        multiSelectionKeyCode={['Shift', 'Meta', 'Control']}
        connectionRadius={40}
        minZoom={0.2}
        fitView
        fitViewOptions={{ padding: 0.15, maxZoom: 1 }}
        proOptions={{ hideAttribution: true }}
        ariaLabelConfig={{
          'controls.ariaLabel': t('Control Panel'),
          'controls.zoomIn.ariaLabel': t('Zoom In'),
          'controls.zoomOut.ariaLabel': t('Zoom Out'),
          'controls.fitView.ariaLabel': t('Fit View'),
          'minimap.ariaLabel': t('Mini Map'),
          'node.a11yDescription.default': t('Enter selects it, the arrow keys move it, Delete removes it.'),
        }}
      >
        <Zoom />
        <Reveal places={places} />
        <Background gap={20} />
        <Controls showInteractive={false} />
        {graph.nodes.length > 8 && <MiniMap pannable zoomable className="flow-map" />}
      </ReactFlow>
    </div>
  )
}

/** Applies changes of React Flow, and tells the page what was moved and selected. */
function changeBy({ graph, notesEdit, onOpen }: FlowCanvasProps, setNodes: ReturnType<typeof useNodes>[1]) {
  return (changes: NodeChange[]) => {
    const next = setNodes((shown) => applyNodeChanges(withBodies(graph, shown, changes), shown))
    notesEdit?.onMove(placedBy(changes, next))
    if (!changes.some(({ type }) => type === 'select')) return
    const chosen = next.filter((node) => node.selected && isOwn(node)).map(({ id }) => id)
    notesEdit?.onSelect(chosen)
    // By keyboard a card is selected, not clicked.
    if (notesEdit === undefined && chosen[0] !== undefined) onOpen?.(chosen[0])
  }
}

/**
 * The places after the end of a drag, or a move by keys: of all cards if one was moved, so that none is arranged again; of notes alone
 * otherwise, because the graph keeps its hash.
 */
function placedBy(changes: readonly NodeChange[], shown: readonly Node[]): ReadonlyMap<string, Place> {
  const ended = changes.flatMap((each) => (each.type === 'position' && each.dragging === false ? [each.id] : []))
  const moved = shown.filter(({ id }) => ended.includes(id))
  if (moved.length === 0) return new Map()
  const hasCards = moved.some(({ type }) => type === 'card')
  const placed = shown.filter((node) => isOwn(node) && (hasCards || node.type === 'note'))
  return new Map(placed.map(({ id, position }) => [id, position]))
}

/** The cards as React Flow measures, selects and drags them, and the graph's own whenever it changes. */
function useNodes(cards: Node[]): [Node[], (update: (shown: Node[]) => Node[]) => Node[]] {
  const [nodes, setNodes] = useState(cards)
  // Several changes of one moment build upon one another.
  const latest = useRef(nodes)
  const update = useCallback((apply: (shown: Node[]) => Node[]) => {
    latest.current = apply(latest.current)
    setNodes(latest.current)
    return latest.current
  }, [])
  useEffect(() => {
    update((shown) => withSizes(cards, shown))
  }, [cards, update])
  return [nodes, update]
}

function connectPorts({ source, sourceHandle, target }: Connection, edit: CanvasEdit): void {
  edit.onConnect(source, sourceHandle ?? 'out', target)
}

/** A card or a note; frames follow from the graph. */
function isOwn({ type }: Node): boolean {
  return type === 'card' || type === 'note'
}

function idsOf(nodes: readonly Node[]): ReadonlySet<string> {
  return new Set(nodes.filter(isOwn).map(({ id }) => id))
}

function indexesOf(edges: readonly Edge[]): ReadonlySet<number> {
  return new Set(edges.filter(({ id }) => /^\d+$/.test(id)).map(({ id }) => Number(id)))
}

/** Measured sizes stay, or the picture flickers while it is measured again. */
function withSizes(next: Node[], shown: readonly Node[]): Node[] {
  const sizes = new Map(shown.map(({ id, measured }) => [id, measured]))
  return next.map((node) => {
    const measured = sizes.get(node.id)
    return measured === undefined || node.type !== 'card' ? node : { ...node, measured }
  })
}

/** A loop that is moved takes its body with it. */
function withBodies(graph: GraphDraft, shown: readonly Node[], changes: NodeChange[]): NodeChange[] {
  const moved = new Set(changes.flatMap((change) => (change.type === 'position' ? [change.id] : [])))
  return changes.flatMap((change) => {
    if (change.type !== 'position' || change.position === undefined) return [change]
    const loop = graph.nodes.find(({ id, type }) => id === change.id && type === 'for_each')
    const from = shown.find(({ id }) => id === change.id)?.position
    if (loop === undefined || from === undefined) return [change]
    const [dx, dy] = [change.position.x - from.x, change.position.y - from.y]
    const body = bodyOf(graph, loop.id).filter(({ id }) => !moved.has(id))
    const others = body.flatMap(({ id }) => {
      const at = shown.find((node) => node.id === id)?.position
      return at === undefined ? [] : [{ type: 'position' as const, id, position: { x: at.x + dx, y: at.y + dy } }]
    })
    return [change, ...others]
  })
}

interface CardOptions extends Pick<FlowCanvasProps, 'words' | 'marks' | 'selected'> {
  readonly edit: CanvasEdit | undefined
}

function cardsOf(graph: GraphDraft, places: ReadonlyMap<string, Place>, options: CardOptions): Node[] {
  const chosen = new Set(options.selected)
  const cards = graph.nodes.map((node): Node => {
    const { words, marks, edit } = options
    const data: CardData = {
      ...{ node, words, mark: marks?.get(node.id), onAdd: edit?.onAdd, onConnect: edit?.onConnect },
      targets: edit === undefined ? [] : targetsOf(graph, node),
    }
    const position = places.get(node.id) ?? { x: 0, y: 0 }
    const selected = chosen.has(node.id)
    const fixed = edit === undefined ? { deletable: false } : {}
    return { id: node.id, type: 'card', position, selected, data: { ...data }, ariaLabel: titleOf(node), ...fixed }
  })
  return [...framesOf(graph, places), ...cards]
}

/** Behind frames and cards. */
function noteNodes(graph: GraphDraft, selected: readonly string[] = [], onNote?: NotesEdit['onNote']): Node[] {
  return notesOf(graph).map((note): Node => {
    const { id, x, y, width, height, text } = note
    const data: NoteData = { note, onChange: onNote && ((change) => onNote(id, change)) }
    const key = keyOf(note)
    const canEdit = onNote !== undefined
    return {
      ...{ id: key, type: 'note', position: { x, y }, width, height, selected: selected.includes(key) },
      ...{ draggable: canEdit, deletable: canEdit, connectable: false, zIndex: -2 },
      data: { ...data },
      ariaLabel: t('Note: {text}', { text: text.slice(0, 100) || t('Empty note') }),
    }
  })
}

function framesOf(graph: GraphDraft, places: ReadonlyMap<string, Place>): Node[] {
  return graph.nodes.flatMap((loop): Node[] => {
    const body = loop.type === 'for_each' ? bodyOf(graph, loop.id) : []
    const at = body.flatMap(({ id }) => places.get(id) ?? [])
    if (at.length === 0) return []
    const [left, top] = [Math.min(...at.map(({ x }) => x)), Math.min(...at.map(({ y }) => y))]
    const [right, bottom] = [Math.max(...at.map(({ x }) => x)), Math.max(...at.map(({ y }) => y))]
    return [
      {
        id: `frame ${loop.id}`,
        type: 'frame',
        position: { x: left - frame_gap, y: top - frame_gap * 1.5 },
        data: { label: t('Each item of {title}', { title: titleOf(loop) }) },
        width: right - left + card_width + 2 * frame_gap,
        height: bottom - top + card_height + 2.75 * frame_gap,
        selectable: false,
        draggable: false,
        focusable: false,
        deletable: false,
        zIndex: -1,
      },
    ]
  })
}

function LoopFrame({ data }: { readonly data: { readonly label?: string } }) {
  return <div className="flow-frame">{data.label}</div>
}

function edgesOf(graph: GraphDraft, marks: FlowCanvasProps['marks']): Edge[] {
  const byId = new Map(graph.nodes.map((node) => [node.id, node]))
  const isTaken = (id: string) => marks?.get(id)?.isTaken === true
  const marker = { type: MarkerType.ArrowClosed, width: 16, height: 16 }
  const edges = graph.edges.map((edge, i): Edge => {
    const source = byId.get(edge.source)
    const port = portOf(edge, source)
    const label = source && portsOf(source).find(({ name }) => name === port)?.label
    const taken = isTaken(edge.source) && isTaken(edge.target)
    return {
      id: String(i),
      source: edge.source,
      sourceHandle: port,
      target: edge.target,
      label: label || undefined,
      markerEnd: marker,
      className: taken ? 'flow-edge-taken' : '',
      ariaLabel: t('From {title} to {title2}', {
        title: source ? titleOf(source) : edge.source,
        title2: titleOf(byId.get(edge.target) ?? { id: '', type: edge.target, config: {} }),
      }),
    }
  })
  const entries = graph.nodes.filter(({ id, parent }) => parent && !graph.edges.some(({ target }) => target === id))
  const inner = entries.filter((node) => !isTrigger(node) && byId.has(node.parent ?? ''))
  return [
    ...edges,
    ...inner.map(
      (node): Edge => ({
        id: `entry ${node.id}`,
        source: node.parent ?? '',
        sourceHandle: 'body',
        target: node.id,
        className: 'flow-edge-entry',
        deletable: false,
        focusable: false,
      }),
    ),
  ]
}
