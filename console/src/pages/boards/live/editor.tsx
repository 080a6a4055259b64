/** The canvas: Excalidraw, connected to the room of the board, with the cards of tasks over it. */
import '@excalidraw/excalidraw/index.css'
import { CaptureUpdateAction, Excalidraw, MainMenu } from '@excalidraw/excalidraw'
import type { ExcalidrawElement, OrderedExcalidrawElement } from '@excalidraw/excalidraw/element/types'
import type { AppState, ExcalidrawImperativeAPI, ExcalidrawProps } from '@excalidraw/excalidraw/types'
import { type KeyboardEvent, type MouseEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { undoLast } from '../../../data/index.ts'
import { t } from '../../../language/index.ts'
import { createStore, type Store, useStore } from '../../../lib/store.ts'
import { type ConnectedTasks, connectedTasks } from './arrows.ts'
import { useIsDark } from './dark.ts'
import { dropDrawing } from './drop-drawing.ts'
import { emptyEmbeddedDocuments } from './embedded-documents.ts'
import type { BoardHost } from './host.ts'
import { ImageStore } from './images.ts'
import { keepLibrary, readLibrary } from './library.ts'
import { LiveBoard, type LiveState, waiting_board } from './live-board.ts'
import {
  type Anchors,
  anchorsOf,
  Pins,
  type PinsOnCanvas,
  type PinsProps,
  type Place,
  placeAt,
  pointOf,
} from './pins.tsx'
import { dropTask, holdsTask, isJustLinked, type Placing, placeOf, placingOn } from './placing.ts'
import { usePointer } from './pointer.ts'
import { SlideBar, usePresentation } from './presentation.tsx'
import { type CardPlace, cardsOf, TaskCards, taskOf, type View } from './task-cards.tsx'
import type { Note } from './tasks-panel.tsx'

/** What the page around the canvas can see and do. */
export interface Canvas extends Placing {
  readonly live: LiveState
  /** Selected elements with a text that are not tasks yet. */
  readonly notes: readonly Note[]
  /** The place in the middle of what the person sees. */
  readonly middle: () => Place
  /** Presents the frames of the board. */
  readonly present: () => void
}

interface EditorProps {
  readonly host: BoardHost
  readonly name: string
  readonly isArchived: boolean
  readonly comments: PinsOnCanvas
  readonly onCanvas: (canvas: Canvas) => void
}

emptyEmbeddedDocuments()
// Excalidraw then draws at most once a frame, however many changes arrive.
Object.assign(window, { EXCALIDRAW_THROTTLE_RENDER: true })

const ui: NonNullable<ExcalidrawProps['UIOptions']> = {
  canvasActions: { toggleTheme: false, loadScene: false, saveToActiveFile: false },
}
const ui_without_images: typeof ui = { ...ui, tools: { image: false } }

export function Editor({ host, name, isArchived, comments, onCanvas }: EditorProps) {
  const [api, setApi] = useState<ExcalidrawImperativeAPI | null>(null)
  const liveBoard = useLiveBoard(host, api)
  const live = useStore((liveBoard ?? waiting_board).state)
  const isDark = useIsDark()
  const { cards, view, notes, anchors, connected, take } = useScene(api, comments.pins)
  const canDraw = live.access === 'editor' && !isArchived
  const canvas = useRef<HTMLDivElement>(null)
  const presentation = usePresentation(api, canvas)
  const { slide, begin } = presentation
  useEffect(() => {
    if (api !== null) onCanvas({ live, notes, middle: () => middleOf(api), present: begin, ...placingOn(api) })
  }, [api, live, notes, begin, onCanvas])
  const onChange = useCallback(
    (elements: readonly OrderedExcalidrawElement[], state: AppState) => {
      if (take(elements, state)) liveBoard?.changed(elements)
    },
    [liveBoard, take],
  )
  const isPresenting = slide !== null
  const surface = useSurface({ host, name, api, liveBoard, isDark, canDraw, isPresenting, setApi, onChange })
  useShownPin(api, comments, live.access !== null)
  return (
    <div
      ref={canvas}
      className="live-canvas"
      data-presenting={isPresenting || undefined}
      role="application"
      aria-label={t('Canvas of {name}', { name })}
      onKeyDownCapture={(event) => undoTasks(event, api)}
      onDoubleClickCapture={(event) => openCard(event, api, cards, host.openTask)}
      onDragOverCapture={(event) => holdsTask(event) && event.preventDefault()}
      onDropCapture={(event) => {
        if (!canDraw || api === null) return
        if (holdsTask(event)) dropTask(api, event)
        else dropDrawing(api, event)
      }}
    >
      {surface}
      <Overlay Card={host.Card} view={view} cards={cards} pins={{ ...comments, api, anchors }} />
      {canDraw && !isPresenting && connected !== null && host.ArrowOffer !== null && <host.ArrowOffer {...connected} />}
      {slide !== null && <SlideBar {...presentation} slide={slide} />}
    </div>
  )
}

interface OverlayProps {
  readonly Card: BoardHost['Card']
  readonly view: Store<View>
  readonly cards: readonly CardPlace[]
  readonly pins: Omit<PinsProps, 'view'>
}

/** What lies over the canvas: all that is drawn again when the canvas moves. */
function Overlay({ Card, view, cards, pins }: OverlayProps) {
  const now = useStore(view)
  return (
    <>
      <TaskCards Card={Card} cards={cards} view={now} />
      <Pins {...pins} view={now} />
    </>
  )
}

interface SurfaceOptions {
  readonly host: BoardHost
  readonly name: string
  readonly api: ExcalidrawImperativeAPI | null
  readonly liveBoard: LiveBoard | null
  readonly isDark: boolean
  readonly canDraw: boolean
  readonly isPresenting: boolean
  readonly setApi: (api: ExcalidrawImperativeAPI) => void
  readonly onChange: NonNullable<ExcalidrawProps['onChange']>
}

/** Excalidraw, as the same element while its options stay: with another one it draws its whole interface and scene again. */
function useSurface(options: SurfaceOptions) {
  const { host, name, api, liveBoard, isDark, canDraw, isPresenting, setApi, onChange } = options
  const onPointerUpdate = usePointer(api, liveBoard)
  return useMemo(() => {
    const onLinkOpen: ExcalidrawProps['onLinkOpen'] = (element, event) => {
      const task = taskOf(element)
      if (task === null) return
      event.preventDefault()
      host.openTask?.(task)
    }
    return (
      <Excalidraw
        excalidrawAPI={setApi}
        {...{ name, onChange, onLinkOpen, onPointerUpdate }}
        theme={isDark ? 'dark' : 'light'}
        isCollaborating
        autoFocus
        viewModeEnabled={!canDraw || isPresenting}
        zenModeEnabled={isPresenting}
        validateEmbeddable={false}
        aiEnabled={false}
        generateIdForFile={fileId}
        initialData={initialData}
        onLibraryChange={keepLibrary}
        UIOptions={host.storeImage === null ? ui_without_images : ui}
      >
        <Menu />
      </Excalidraw>
    )
  }, [host, name, isDark, canDraw, isPresenting, setApi, onChange, onPointerUpdate])
}

/** Moves the canvas to a thread that was opened, if the canvas does not show it. */
function useShownPin(api: ExcalidrawImperativeAPI | null, { pins, chosen }: PinsOnCanvas, isLoaded: boolean): void {
  const latest = useRef(pins)
  latest.current = pins
  useEffect(() => {
    const pin = latest.current.find(({ id }) => id === chosen)
    if (api === null || pin === undefined || !isLoaded) return
    const point = pointOf(pin, anchorsOf(api.getSceneElements(), [pin]))
    if (point === null) return
    const { scrollX, scrollY, zoom, width, height } = api.getAppState()
    const [left, top] = [(point.x + scrollX) * zoom.value, (point.y + scrollY) * zoom.value]
    if (left > 0 && top > 0 && left < width && top < height) return
    const middle = { scrollX: width / zoom.value / 2 - point.x, scrollY: height / zoom.value / 2 - point.y }
    api.updateScene({ appState: middle, captureUpdate: CaptureUpdateAction.NEVER })
  }, [api, chosen, isLoaded])
}

const initialData = () => ({ libraryItems: readLibrary() })

function Menu() {
  return (
    <MainMenu>
      <MainMenu.DefaultItems.SaveAsImage />
      <MainMenu.DefaultItems.Export />
      <MainMenu.DefaultItems.SearchMenu />
      <MainMenu.DefaultItems.ChangeCanvasBackground />
      <MainMenu.DefaultItems.Help />
    </MainMenu>
  )
}

/** Connects to the board as soon as Excalidraw is ready, and until the page is left. */
function useLiveBoard(host: BoardHost, api: ExcalidrawImperativeAPI | null): LiveBoard | null {
  const [liveBoard, setLiveBoard] = useState<LiveBoard | null>(null)
  useEffect(() => {
    if (api === null) return
    const opened = new LiveBoard({
      api,
      url: `${location.origin.replace(/^http/, 'ws')}/app/api/boards/${host.board}/live`,
      token: host.token,
      images: new ImageStore(host, api),
      nameOf: host.nameOf,
    })
    setLiveBoard(opened)
    // The property of the same name is never called.
    const stop = api.onUserFollow(({ userToFollow, action }) =>
      opened.follow(action === 'FOLLOW' ? userToFollow.socketId : null),
    )
    return () => {
      stop()
      opened.end()
    }
  }, [api, host])
  return liveBoard
}

/** What the page shows of the scene beside the canvas: the cards of tasks, the boxes with pins, and what is selected. */
function useScene(api: ExcalidrawImperativeAPI | null, pins: readonly Place[]) {
  const [cards, setCards] = useState<readonly CardPlace[]>([])
  const [view] = useState(() => createStore<View>({ scrollX: 0, scrollY: 0, zoom: 1 }))
  const [notes, setNotes] = useState<readonly Note[]>([])
  const [anchors, setAnchors] = useState<Anchors>({})
  const [connected, setConnected] = useState<ConnectedTasks | null>(null)
  const pinned = useRef(pins)
  pinned.current = pins
  const taken = useRef<Taken | null>(null)
  useEffect(() => {
    if (api !== null) setAnchors((before) => keepEqual(before, anchorsOf(api.getSceneElements(), pins)))
  }, [api, pins])
  /** Returns whether an element has changed. Excalidraw calls it for each step of a move of the canvas, too. */
  const take = useCallback(
    (elements: readonly ExcalidrawElement[], state: AppState): boolean => {
      const { scrollX, scrollY, zoom, selectedElementIds: selected } = state
      const shown = view.get()
      if (shown.scrollX !== scrollX || shown.scrollY !== scrollY || shown.zoom !== zoom.value)
        view.set({ scrollX, scrollY, zoom: zoom.value })
      const versions = elements.reduce((sum, { version, versionNonce }) => sum + version + versionNonce, 0)
      const before = taken.current
      taken.current = { elements, versions, selected }
      const isSame = before?.elements === elements && before.versions === versions
      if (isSame && before.selected === selected) return false
      setNotes((now) => keepEqual(now, notesOf(elements, state)))
      setConnected((now) => keepEqual(now, connectedTasks(elements, state)))
      if (isSame) return false
      setCards((now) => keepEqual(now, cardsOf(elements)))
      setAnchors((now) => keepEqual(now, anchorsOf(elements, pinned.current)))
      return true
    },
    [view],
  )
  return { cards, view, notes, anchors, connected, take }
}

/** The scene that the page has looked at last. Excalidraw changes elements in place, with a new version. */
interface Taken {
  readonly elements: readonly ExcalidrawElement[]
  readonly versions: number
  readonly selected: AppState['selectedElementIds']
}

function middleOf(api: ExcalidrawImperativeAPI): Place {
  const { scrollX, scrollY, width, height, zoom } = api.getAppState()
  const point = { x: width / zoom.value / 2 - scrollX, y: height / zoom.value / 2 - scrollY }
  return placeAt(api.getSceneElements(), point)
}

/** The former value if the new one is equal, so that nothing is drawn again. */
function keepEqual<T>(before: T, next: T): T {
  return JSON.stringify(before) === JSON.stringify(next) ? before : next
}

/** Right after notes became tasks, Ctrl+Z undoes that as the toast does: the tasks go, and the notes return. */
function undoTasks(event: KeyboardEvent<HTMLDivElement>, api: ExcalidrawImperativeAPI | null): void {
  const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'z'
  if (!isUndo || api === null || !isJustLinked(api) || !undoLast()) return
  event.preventDefault()
  event.stopPropagation()
}

/** A double click on a card opens its task instead of editing a text. */
function openCard(
  event: MouseEvent<HTMLDivElement>,
  api: ExcalidrawImperativeAPI | null,
  cards: readonly CardPlace[],
  openTask: BoardHost['openTask'],
): void {
  if (api === null || openTask === null || !(event.target instanceof HTMLCanvasElement)) return
  const { x, y } = placeOf(api, event.currentTarget, event)
  const card = cards.findLast(
    (each) => x >= each.x && x <= each.x + each.width && y >= each.y && y <= each.y + each.height,
  )
  if (card === undefined) return
  event.stopPropagation()
  event.preventDefault()
  openTask(card.task)
}

/** Selected shapes with a text, and selected texts, that are not tasks yet. */
function notesOf(elements: readonly ExcalidrawElement[], { selectedElementIds }: AppState): Note[] {
  const notes: Note[] = []
  const byId = new Map(elements.map((element) => [element.id, element]))
  for (const element of elements) {
    if (element.type !== 'text' || element.isDeleted || element.originalText.trim() === '') continue
    const note = element.containerId === null ? element : byId.get(element.containerId)
    if (note === undefined || note.type === 'arrow' || taskOf(note) !== null) continue
    if (selectedElementIds[note.id] === true) notes.push({ element: note.id, text: element.originalText })
  }
  return notes
}

/** The SHA-256 of an image, so that the same image is stored once. */
async function fileId(file: File): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer())
  return new Uint8Array(digest).toHex()
}
