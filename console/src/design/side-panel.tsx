/**
 * Details beside the page: a column that can be resized where the window is wide, a Sheet where it is not. The column is no
 * modal surface: the page keeps working. Opened by keyboard it takes the focus, opened by pointer it does not; F6 moves
 * between both, Escape closes. On closing the focus returns only if it was inside.
 */
import './side-panel.css'
import { X } from 'lucide-react'
import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useSyncExternalStore,
} from 'react'
import { createPortal } from 'react-dom'
import { t } from '../language/index.ts'
import { createStore, useStore } from '../lib/store.ts'
import { IconButton } from './button.tsx'
import { Sheet } from './dialog.tsx'
import { sidePanelSlot } from './side-panel-slot.ts'

const storage_key = 'atrium.panel-width'
/** From this width of the window on, in pixels, the panel is a column. */
const docked_px_min = 1200
/** Widths of the column, in pixels. */
const width_px_min = 380
const width_px_max = 900
/** What the page keeps, in pixels. */
const page_px_min = 440
/** The width of the column without a choice, as a share of the window. */
const width_share = 0.36
const default_px_max = 640
/** Pixels an arrow key changes the width by. */
const step_px = 24

const chosenWidth = createStore<number | null>(readWidth())
const wide = matchMedia(`(min-width: ${docked_px_min}px)`)

export interface SidePanelProps {
  readonly title: ReactNode
  /** Names the panel for screen readers. */
  readonly label: string
  readonly tools?: ReactNode
  readonly children: ReactNode
  /** The object shown: another one starts at the top. */
  readonly contentKey: string
  readonly onClose: () => void
  /** The element of the page that stands for the object, which receives the focus on closing. */
  readonly returnTo?: () => HTMLElement | null
}

export function SidePanel(props: SidePanelProps) {
  const isWide = useSyncExternalStore(followWide, () => wide.matches)
  if (isWide) return <Docked {...props} />
  const { title, tools, children, contentKey, onClose, returnTo } = props
  return (
    <Sheet open onClose={onClose} size="l" title={title} tools={tools} back {...(returnTo ? { returnTo } : {})}>
      <div key={contentKey}>{children}</div>
    </Sheet>
  )
}

function followWide(listener: () => void): () => void {
  wide.addEventListener('change', listener)
  return () => wide.removeEventListener('change', listener)
}

function Docked(props: SidePanelProps) {
  const slot = useStore(sidePanelSlot)
  return slot === null ? null : createPortal(<Column {...props} />, slot)
}

function Column({ title, label, tools, children, contentKey, onClose, returnTo }: SidePanelProps) {
  const id = useId()
  const panel = useRef<HTMLElement>(null)
  const width = useWidth()
  useFocusMoves(panel, onClose, returnTo)
  return (
    <section
      className="side-panel"
      id={id}
      // A dialog that is not modal: it has a name, and Escape closes it.
      role="dialog"
      aria-label={label}
      tabIndex={-1}
      ref={panel}
      style={{ width }}
    >
      <Divider width={width} panel={id} />
      <div className="sheet-head" data-back>
        <h2 className="dialog-title cut">{title}</h2>
        <div className="row sheet-tools">
          {tools}
          <IconButton icon={X} label={t('Close')} keys="escape" size="s" onClick={onClose} />
        </div>
      </div>
      <div className="sheet-body" key={contentKey}>
        {children}
      </div>
    </section>
  )
}

/** The focus on opening and closing, F6 and Escape. */
function useFocusMoves(
  panel: { readonly current: HTMLElement | null },
  onClose: () => void,
  returnTo: SidePanelProps['returnTo'],
): void {
  const latest = useRef({ onClose, returnTo })
  latest.current = { onClose, returnTo }
  useLayoutEffect(() => {
    const element = panel.current
    const opener = document.activeElement
    const wasKeyboard = opener instanceof HTMLElement && opener.matches(':is(a, button):focus-visible')
    if (wasKeyboard) element?.focus()
    return () => {
      if (!element?.contains(document.activeElement)) return
      const target =
        latest.current.returnTo?.() ?? (opener instanceof HTMLElement && opener.isConnected ? opener : null)
      ;(target ?? document.querySelector<HTMLElement>('main'))?.focus()
    }
  }, [panel])
  useEffect(() => {
    const onKeyDown = (event: globalThis.KeyboardEvent) => {
      const element = panel.current
      // A dialog or menu above the panel has its own keys.
      if (event.defaultPrevented || event.isComposing || element?.closest('[aria-hidden="true"]')) return
      const isInside = element?.contains(document.activeElement) ?? false
      if (event.key === 'F6') {
        const page = latest.current.returnTo?.() ?? document.querySelector<HTMLElement>('main')
        ;(isInside ? page : element)?.focus()
      } else if (event.key === 'Escape' && !isTyping(event.target)) latest.current.onClose()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [panel])
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches('input, textarea, select, [contenteditable="true"]')
}

/** The edge that resizes the column by pointer or arrow keys. */
function Divider({ width, panel }: { readonly width: number; readonly panel: string }) {
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    const { currentTarget, pointerId } = event
    event.preventDefault()
    currentTarget.setPointerCapture(pointerId)
    const end = event.clientX + width
    const move = ({ clientX }: globalThis.PointerEvent) => chosenWidth.set(end - clientX)
    const stop = () => {
      currentTarget.removeEventListener('pointermove', move)
      keepWidth()
    }
    currentTarget.addEventListener('pointermove', move)
    currentTarget.addEventListener('lostpointercapture', stop, { once: true })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowLeft: step_px, ArrowRight: -step_px }[event.key]
    if (by === undefined) return
    event.preventDefault()
    chosenWidth.set(boundedWidth(width + by))
    keepWidth()
  }
  const reset = () => {
    chosenWidth.set(null)
    keepWidth()
  }
  return (
    <div
      className="side-panel-edge"
      role="separator"
      aria-orientation="vertical"
      aria-label={t('Width of the panel')}
      aria-controls={panel}
      aria-valuenow={Math.round(width)}
      aria-valuemin={width_px_min}
      aria-valuemax={width_px_max}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onKeyDown={onKeyDown}
      onDoubleClick={reset}
    />
  )
}

/** The width of the column in pixels, which leaves the page its minimum. */
function useWidth(): number {
  const chosen = useStore(chosenWidth)
  const room = useSyncExternalStore(followSize, () => innerWidth)
  return boundedWidth(chosen ?? Math.min(default_px_max, room * width_share))
}

function boundedWidth(width: number): number {
  const side = document.querySelector<HTMLElement>('.shell-side')?.offsetWidth ?? 0
  const room = innerWidth - side - page_px_min
  return Math.round(Math.max(width_px_min, Math.min(width, width_px_max, room)))
}

function followSize(listener: () => void): () => void {
  addEventListener('resize', listener)
  return () => removeEventListener('resize', listener)
}

function readWidth(): number | null {
  try {
    const width = Number(localStorage.getItem(storage_key))
    return width >= width_px_min && width <= width_px_max ? width : null
  } catch {
    return null
  }
}

function keepWidth(): void {
  const width = chosenWidth.get()
  try {
    if (width === null) localStorage.removeItem(storage_key)
    else localStorage.setItem(storage_key, String(boundedWidth(width)))
  } catch {
    // Without storage the width lasts until the page is closed.
  }
}
