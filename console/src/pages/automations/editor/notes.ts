/**
 * Notes on the canvas: part of the draft, so that they are undone, copied and kept over a reload with it, and sent beside the graph. Pure.
 */
export const note_colors = ['yellow', 'green', 'blue', 'red', 'gray'] as const

type NoteColor = (typeof note_colors)[number]

export interface NoteDraft {
  readonly id: string
  readonly text: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly color: NoteColor
}

interface Place {
  readonly x: number
  readonly y: number
}

/** A draft, of which only the notes matter here. */
interface Annotated {
  readonly notes?: readonly NoteDraft[]
}

/** Pixels: the sides of a new note, and the bounds of the server. */
const new_width = 220
const new_height = 120
export const note_size_min = 80
export const note_size_max = 2000
export const note_chars_max = 2000
export const notes_max = 50

/** The id of a note among the ids of nodes, which have no spaces. */
export function keyOf({ id }: Pick<NoteDraft, 'id'>): string {
  return `note ${id}`
}

export function notesOf({ notes }: Annotated): readonly NoteDraft[] {
  return notes ?? []
}

export function noteAt(graph: Annotated, key: string | undefined): NoteDraft | undefined {
  return notesOf(graph).find((note) => keyOf(note) === key)
}

/** Adds an empty note above everything that is drawn. */
export function withNewNote<T extends Annotated>(
  graph: T,
  places: ReadonlyMap<string, Place>,
): { graph: T; key: string } {
  const all = [...places.values(), ...notesOf(graph)]
  const left = all.length === 0 ? 0 : Math.min(...all.map(({ x }) => x))
  const top = all.length === 0 ? 0 : Math.min(...all.map(({ y }) => y))
  const place = { x: Math.round(left), y: Math.round(top) - new_height - 40 }
  const note = {
    id: freshNoteId(graph),
    text: '',
    ...place,
    width: new_width,
    height: new_height,
    color: 'yellow' as const,
  }
  return { graph: { ...graph, notes: [...notesOf(graph), note] }, key: keyOf(note) }
}

function freshNoteId(graph: Annotated): string {
  const taken = new Set(notesOf(graph).map(({ id }) => id))
  let number = taken.size + 1
  while (taken.has(`note_${number}`)) number++
  return `note_${number}`
}

export function changeNote<T extends Annotated>(graph: T, id: string, change: Partial<NoteDraft>): T {
  return { ...graph, notes: notesOf(graph).map((note) => (note.id === id ? { ...note, ...change } : note)) }
}

export function removeNotes<T extends Annotated>(graph: T, keys: ReadonlySet<string>): T {
  const left = notesOf(graph).filter((note) => !keys.has(keyOf(note)))
  return left.length === notesOf(graph).length ? graph : { ...graph, notes: left }
}

export function moveNotes<T extends Annotated>(graph: T, places: ReadonlyMap<string, Place>): T {
  const moved = notesOf(graph).map((note) => {
    const place = places.get(keyOf(note))
    if (place === undefined) return note
    const [x, y] = [Math.round(place.x), Math.round(place.y)]
    return x === note.x && y === note.y ? note : { ...note, x, y }
  })
  return moved.every((note, i) => note === notesOf(graph)[i]) ? graph : { ...graph, notes: moved }
}

/** Copies of notes with new ids, moved by `by` pixels; at most as many as a flow may have. */
export function pasteNotes<T extends Annotated>(
  graph: T,
  copied: readonly NoteDraft[],
  by: number,
): { graph: T; keys: string[] } {
  let next = graph
  const keys: string[] = []
  for (const note of copied) {
    if (notesOf(next).length === notes_max) break
    const copy = { ...note, id: freshNoteId(next), x: note.x + by, y: note.y + by }
    next = { ...next, notes: [...notesOf(next), copy] }
    keys.push(keyOf(copy))
  }
  return { graph: next, keys }
}
