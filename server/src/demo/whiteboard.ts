/** The demo's whiteboard, the course of a booking, as an Excalidraw file, so that it is imported like any drawing. */

interface Note {
  readonly id: string
  readonly text: string
  readonly x: number
  readonly y: number
  readonly shape?: 'rectangle' | 'ellipse' | 'diamond'
  readonly color: string
}

const width = 200
const height = 90
const blue = '#a5d8ff'
const green = '#b2f2bb'
const yellow = '#ffec99'
const red = '#ffc9c9'
const plain = '#e9ecef'

const notes: readonly Note[] = [
  { id: 'pick', text: 'Pick a crossing', x: 0, y: 160, color: blue },
  { id: 'seat', text: 'Tap a seat', x: 300, y: 160, color: blue },
  { id: 'free', text: 'Free?', x: 600, y: 160, shape: 'diamond', color: yellow },
  { id: 'hold', text: 'Held for 10 min', x: 900, y: 160, color: green },
  { id: 'pay', text: 'Pay', x: 1200, y: 160, color: blue },
  { id: 'ticket', text: 'Ticket', x: 1500, y: 160, shape: 'ellipse', color: green },
  { id: 'other', text: 'Offer the next one', x: 600, y: 380, color: red },
  { id: 'crew', text: 'Crew scans it,\nalso without a network', x: 1500, y: 380, color: plain },
  { id: 'question', text: 'What if the boat\nis cancelled?', x: 1200, y: 380, color: yellow },
]

const arrows: readonly (readonly [string, string, string?])[] = [
  ['pick', 'seat'],
  ['seat', 'free'],
  ['free', 'hold', 'yes'],
  ['free', 'other', 'no'],
  ['other', 'seat'],
  ['hold', 'pay'],
  ['pay', 'ticket'],
  ['ticket', 'crew'],
  ['pay', 'question'],
]

const usual = {
  angle: 0,
  strokeColor: '#1e1e1e',
  backgroundColor: 'transparent',
  fillStyle: 'solid',
  strokeWidth: 2,
  strokeStyle: 'solid',
  roughness: 1,
  opacity: 100,
  groupIds: [],
  isDeleted: false,
  locked: false,
  link: null,
}

function text(id: string, said: string, at: { x: number; y: number }, size: number, container: string | null) {
  const lines = said.split('\n')
  const wide = Math.max(...lines.map((line) => line.length)) * size * 0.55
  const high = lines.length * size * 1.25
  const place = { x: at.x - wide / 2, y: at.y - high / 2, width: wide, height: high }
  const look = { fontSize: size, fontFamily: 1, textAlign: 'center', verticalAlign: 'middle', lineHeight: 1.25 }
  return { ...usual, id, type: 'text', ...place, ...look, text: said, originalText: said, containerId: container }
}

/** A shape with its text; a linked one shows the task of its link. */
function box(note: Note, link: string | null) {
  const centre = { x: note.x + width / 2, y: note.y + height / 2 }
  const shape = {
    ...usual,
    id: note.id,
    type: note.shape ?? 'rectangle',
    x: note.x,
    y: note.y,
    width,
    height,
    backgroundColor: note.color,
    roundness: { type: 3 },
    boundElements: [{ type: 'text', id: `${note.id}-text` }],
    link,
  }
  return [shape, text(`${note.id}-text`, note.text, centre, 20, note.id)]
}

function arrow(from: Note, to: Note, said: string | undefined) {
  const id = `${from.id}-${to.id}`
  const across = from.y === to.y
  const right = to.x > from.x
  const start = across
    ? { x: from.x + (right ? width : 0), y: from.y + height / 2 }
    : { x: from.x + width / 2, y: from.y + height }
  const end = across ? { x: to.x + (right ? 0 : width), y: to.y + height / 2 } : { x: to.x + width / 2, y: to.y }
  const corner = !across && to.x !== from.x ? { x: to.x + width / 2, y: from.y + height / 2 } : null
  const begin = corner === null ? start : { x: from.x, y: from.y + height / 2 }
  const finish = corner === null ? end : { x: to.x + width / 2, y: to.y + height }
  const points = [begin, ...(corner === null ? [] : [corner]), finish].map(({ x, y }) => [x - begin.x, y - begin.y])
  const line = {
    ...usual,
    id,
    type: 'arrow',
    x: begin.x,
    y: begin.y,
    width: Math.abs(finish.x - begin.x),
    height: Math.abs(finish.y - begin.y),
    points,
    startBinding: { elementId: from.id, focus: 0, gap: 4 },
    endBinding: { elementId: to.id, focus: 0, gap: 4 },
    startArrowhead: null,
    endArrowhead: 'arrow',
  }
  const middle = { x: (begin.x + finish.x) / 2 + 20, y: (begin.y + finish.y) / 2 - 16 }
  return said === undefined ? [line] : [line, text(`${id}-text`, said, middle, 18, null)]
}

/** The file. `links`: the id of a note → the link of its task. */
export function whiteboard(links: Readonly<Record<string, string>>): Uint8Array {
  const byId = new Map(notes.map((note) => [note.id, note]))
  const elements = [
    text('title', 'How a booking goes', { x: 200, y: 40 }, 36, null),
    ...notes.flatMap((note) => box(note, links[note.id] ?? null)),
    ...arrows.flatMap(([from, to, said]) => arrow(byId.get(from) as Note, byId.get(to) as Note, said)),
  ]
  return Buffer.from(JSON.stringify({ type: 'excalidraw', version: 2, elements, appState: {}, files: {} }))
}
