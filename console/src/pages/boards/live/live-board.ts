/** A board as one page sees it: Excalidraw's scene and people on one side, the connection to the room on the other. */
import { CaptureUpdateAction, reconcileElements, restoreElements } from '@excalidraw/excalidraw'
import type { OrderedExcalidrawElement } from '@excalidraw/excalidraw/element/types'
import type { Collaborator, ExcalidrawImperativeAPI, SocketId } from '@excalidraw/excalidraw/types'
import { createStore, type Store } from '../../../lib/store.ts'
import { colourOf } from './colour.ts'
import { completed } from './complete.ts'
import {
  type BoardAccess,
  BoardConnection,
  type BoardHandlers,
  type ConnectionState,
  type Person,
  type Pointer,
  wins,
} from './connection.ts'
import { inDrawingOrder } from './drawing-order.ts'
import type { ImageStore } from './images.ts'
import { type Frame, nextFrame } from './next-frame.ts'
import { personKey } from './person-name.ts'
import { showPart } from './view.ts'

/** The package marks what comes from others by a type that it does not export. */
type RemoteElement = Parameters<typeof reconcileElements>[1][number]

type Element = OrderedExcalidrawElement

/** What the page around the canvas shows. */
export interface LiveState {
  /** Null before the first welcome. */
  readonly access: BoardAccess | null
  readonly state: ConnectionState
  readonly reason: string
  readonly saved: boolean
  readonly people: readonly Person[]
  /** The message of the last refused change. */
  readonly refusal: string | null
}

const not_connected: LiveState = {
  access: null,
  state: 'connecting',
  reason: '',
  saved: true,
  people: [],
  refusal: null,
}

/** Stands for a board until Excalidraw is ready. */
export const waiting_board: { readonly state: Store<LiveState> } = { state: createStore(not_connected) }

interface LiveBoardOptions {
  readonly url: string
  readonly token: (refused: string | null) => Promise<string>
  readonly api: ExcalidrawImperativeAPI
  readonly images: ImageStore
  readonly nameOf: (person: Person) => string
}

export class LiveBoard {
  readonly state: Store<LiveState> = createStore(not_connected)
  readonly #options: LiveBoardOptions
  readonly #connection: BoardConnection<Element>
  #collaborators = new Map<SocketId, Collaborator>()
  /** What each of the others has last seen of the canvas. */
  readonly #views = new Map<string, readonly number[]>()
  #followed: string | null = null
  /** Changes of others that the canvas does not show yet, the last state of each element. */
  readonly #arrived = new Map<string, Element>()
  #merging: Frame | null = null
  #pointing: Frame | null = null
  #isWelcome = false
  #isFitted = false
  /** After a refusal the server's scene replaces that of the page. */
  #resets = false

  constructor(options: LiveBoardOptions) {
    this.#options = options
    const { url, token } = options
    this.#connection = new BoardConnection<Element>({ url, token, handlers: this.#handlers() })
  }

  /** Sends what has changed on the page. */
  changed(elements: readonly Element[]): void {
    // Before the welcome the page is empty, which is no change. What a refusal undoes is not sent again.
    if (!this.#isWelcome || this.#resets) return
    this.#connection.offer(elements.filter(isWorthSending))
    this.#options.images.store(elements)
  }

  point(pointer: Pointer): void {
    this.#connection.point(pointer)
  }

  /** Keeps the canvas at what another person sees. */
  follow(connection: string | null): void {
    this.#followed = connection
    this.#showFollowed()
  }

  end(): void {
    this.#merging?.cancel()
    this.#pointing?.cancel()
    this.#options.images.end()
    this.#connection.end()
  }

  #set(part: Partial<LiveState>): void {
    this.state.set({ ...this.state.get(), ...part })
  }

  #handlers(): BoardHandlers<Element> {
    return {
      onScene: (elements) => this.#show(elements),
      onChange: (elements) => this.#arrive(elements),
      onPeople: (people, own) => {
        this.#set({ people })
        this.#showPeople(people.filter(({ connection }) => connection !== own))
      },
      onPointer: (from, pointer) => this.#showPointer(from, pointer),
      onAccess: (access) => this.#set({ access }),
      onState: (state, reason) => this.#set({ state, reason }),
      onSaved: (saved) => this.#set({ saved }),
      onRefused: ({ message }) => {
        this.#resets = true
        this.#set({ refusal: message })
      },
    }
  }

  /** Many people send many changes: what came since the last frame is merged at once. */
  #arrive(elements: readonly Element[]): void {
    for (const element of elements) this.#arrived.set(element.id, element)
    this.#merging ??= nextFrame(() => {
      this.#merging = null
      const arrived = [...this.#arrived.values()]
      this.#arrived.clear()
      if (!this.#resets) this.#merge(arrived)
    })
  }

  /** Shows the scene of the server, which has everything that arrived before. */
  #show(elements: readonly Element[]): void {
    this.#merging?.cancel()
    this.#merging = null
    this.#arrived.clear()
    this.#merge(elements)
  }

  #merge(elements: readonly Element[]): void {
    const { api, images } = this.#options
    const local = this.#resets ? [] : api.getSceneElementsIncludingDeleted()
    const remote = restoreElements(this.#ordered(local, elements), null)
    const merged = reconcileElements(local, remote as RemoteElement[], api.getAppState())
    this.#isWelcome = true
    this.#resets = false
    api.updateScene({ elements: merged, captureUpdate: CaptureUpdateAction.NEVER })
    images.load(merged)
    if (this.#isFitted) return
    this.#isFitted = true
    api.history.clear()
    api.scrollToContent(merged, { fitToViewport: true, viewportZoomFactor: 0.8, maxZoom: 1 })
  }

  /** The elements of the server in the drawing order of all, in which those of the page are put, too. */
  #ordered(local: readonly Element[], elements: readonly Element[]): Element[] {
    const placed = local.filter(({ index }) => index !== null)
    const states = new Map(placed.map((element) => [element.id, this.#connection.stored(element) ?? element]))
    const arrived = new Set<string>()
    for (const element of elements) {
      const state = states.get(element.id)
      if (state !== undefined && !wins(element, state)) continue
      states.set(element.id, completed(element))
      arrived.add(element.id)
    }
    const ordered = inDrawingOrder([...states.values()])
    const indices = new Map(ordered.map(({ id, index }) => [id, index]))
    // In place, as Excalidraw does it: it draws on with the objects that it has, and the drawing of none depends on its index.
    for (const element of placed) Object.assign(element, { index: indices.get(element.id) })
    return ordered.filter(({ id }) => arrived.has(id))
  }

  #showPeople(people: readonly Person[]): void {
    const before = this.#collaborators
    this.#collaborators = new Map(
      people.map((person) => {
        const socketId = person.connection as SocketId
        const id = personKey(person)
        const username = this.#options.nameOf(person)
        return [socketId, { ...before.get(socketId), username, id, socketId, color: colourOf(id) }]
      }),
    )
    this.#options.api.updateScene({ collaborators: this.#collaborators })
  }

  /** Many people send many pointers: what came since the last frame is drawn at once. */
  #showPointer(from: string, { x, y, tool, button, selected, view }: Pointer): void {
    const id = from as SocketId
    const known = this.#collaborators.get(id)
    if (known === undefined) return
    const selectedElementIds = Object.fromEntries(selected.map((each) => [each, true as const]))
    const shown = { ...known, pointer: { x, y, tool }, button, selectedElementIds }
    this.#collaborators.set(id, shown)
    this.#pointing ??= nextFrame(() => {
      this.#pointing = null
      this.#options.api.updateScene({ collaborators: new Map(this.#collaborators) })
    })
    if (view === null) return
    this.#views.set(from, view)
    if (this.#followed === from) this.#showFollowed()
  }

  #showFollowed(): void {
    const view = this.#views.get(this.#followed ?? '')
    if (view === undefined) return
    const [x = 0, y = 0, width = 1, height = 1] = view
    showPart(this.#options.api, { x, y, width, height })
  }
}

/** A shape whose drawing has only begun has no size yet. */
function isWorthSending(element: Element): boolean {
  if (element.index === null) return false
  if (element.isDeleted) return true
  if ('points' in element) return element.points.length > 1
  return element.width !== 0 || element.height !== 0 || element.type === 'text'
}
