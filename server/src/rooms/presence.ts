/**
 * Who is on a board through other processes, and where they point. Each process broadcasts what its own people do, several
 * notes at a time, and keeps none of it: a lost note is replaced by the next pointer, or by the list that each process repeats.
 */
import { db_limits } from '../db/limits.ts'
import type { Store } from '../db/store.ts'
import { newId } from '../lib/ids.ts'
import type { BoardKey } from '../resources/board_items/scene/log.ts'
import { room_limits } from './limits.ts'
import type { Person, Pointer } from './messages.ts'

export type Note =
  /** A process has opened the board and asks the others for their people. */
  | { readonly type: 'who' }
  | { readonly type: 'here'; readonly person: Person }
  | { readonly type: 'gone'; readonly connection: string }
  | { readonly type: 'pointer'; readonly connection: string; readonly pointer: Pointer }

/** The form of a broadcast. Processes of a version with another form are not understood, and do not see each other's people. */
const form = 1

interface Broadcast {
  readonly form: number
  readonly process: string
  readonly notes: readonly (readonly [realm: number, board: string, note: Note])[]
}

/** Takes the notes of other processes. */
export type Hear = (key: BoardKey, note: Note) => void

export class Presence {
  readonly #store: Store
  readonly #process: string
  readonly #unsubscribe: () => void
  /** The last note about each subject, as JSON. */
  readonly #waiting = new Map<string, string>()
  #sending: Promise<void> | null = null
  #timer: NodeJS.Timeout | undefined

  constructor(store: Store, now: number, hear: Hear) {
    this.#store = store
    this.#process = newId('prc', now)
    this.#unsubscribe = store.onBroadcast((text) => this.#receive(text, hear))
  }

  /** Sends a note soon. A later one about the same subject replaces it. */
  send({ realm, board }: BoardKey, note: Note): void {
    const subject = `${realm} ${board} ${subjectOf(note)}`
    // A subject keeps its place: others must know a person before her pointer.
    this.#waiting.set(subject, JSON.stringify([realm, board, withinLimit(note)]))
    this.#flushSoon()
  }

  /** Sends what waits, and hears nothing more. */
  async close(): Promise<void> {
    this.#unsubscribe()
    await this.#sending
    await this.#flush()
    clearTimeout(this.#timer)
  }

  #flushSoon(): void {
    if (this.#sending !== null || this.#waiting.size === 0) return
    this.#timer ??= setTimeout(() => void this.#flush(), room_limits.room_notes_ms).unref()
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const notes = [...this.#waiting.values()]
    this.#waiting.clear()
    this.#sending = this.#sendAll(notes)
    await this.#sending
    this.#sending = null
    this.#flushSoon()
  }

  async #sendAll(notes: readonly string[]): Promise<void> {
    const head = `{"form":${form},"process":${JSON.stringify(this.#process)},"notes":[`
    for (const text of inTexts(notes, head, ']}')) await this.#store.broadcast(text)
  }

  #receive(text: string, hear: Hear): void {
    const heard = read(text)
    if (heard === null || heard.process === this.#process) return
    for (const [realm, board, note] of heard.notes) hear({ realm, board }, note)
  }
}

/** A pointer and the presence of its person are different subjects. */
function subjectOf(note: Note): string {
  if (note.type === 'who') return note.type
  if (note.type === 'pointer') return `pointer ${note.connection}`
  return note.type === 'here' ? note.person.connection : note.connection
}

/** Without the selected elements if they would take most of a broadcast. */
function withinLimit(note: Note): Note {
  if (note.type !== 'pointer') return note
  const chars = note.pointer.selected.reduce((sum, id) => sum + id.length, 0)
  return chars <= room_limits.room_note_selection_chars ? note : { ...note, pointer: { ...note.pointer, selected: [] } }
}

/** Joins notes to as few broadcasts as hold them. */
function* inTexts(notes: readonly string[], head: string, tail: string): Generator<string> {
  const room = db_limits.broadcast_bytes_max - head.length - tail.length
  let joined: string[] = []
  let bytes = 0
  for (const note of notes) {
    const size = Buffer.byteLength(note) + 1
    if (bytes + size > room && joined.length > 0) {
      yield head + joined.join(',') + tail
      joined = []
      bytes = 0
    }
    joined.push(note)
    bytes += size
  }
  if (joined.length > 0) yield head + joined.join(',') + tail
}

/** Null for what a program of another version sent. */
function read(text: string): Broadcast | null {
  try {
    const value = JSON.parse(text) as Broadcast | null
    return value?.form === form ? value : null
  } catch {
    return null
  }
}

/** The people of a board who are connected to other processes. */
export class Elsewhere {
  readonly #people = new Map<string, { person: Person; heard_ms: number }>()

  /** Takes a note. Returns whether the people are others than before. */
  hear(note: Note, now_ms: number): boolean {
    if (note.type === 'gone') return this.#people.delete(note.connection)
    if (note.type !== 'here') return false
    const { person } = note
    const known = this.#people.get(person.connection)
    if (known === undefined && this.#people.size >= room_limits.room_people_elsewhere_max) return false
    this.#people.set(person.connection, { person, heard_ms: now_ms })
    return known?.person.access !== person.access
  }

  /** Forgets people of processes that have ended without a word. Returns whether there were any. */
  expire(now_ms: number): boolean {
    const before = this.#people.size
    for (const [connection, { heard_ms }] of this.#people) {
      if (now_ms - heard_ms >= room_limits.room_people_silent_ms) this.#people.delete(connection)
    }
    return this.#people.size < before
  }

  get isEmpty(): boolean {
    return this.#people.size === 0
  }

  has(connection: string): boolean {
    return this.#people.has(connection)
  }

  people(): Person[] {
    return [...this.#people.values()].map(({ person }) => person)
  }
}
