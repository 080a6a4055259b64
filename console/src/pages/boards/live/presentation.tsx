/**
 * The frames of a board as slides, over the whole window: in the order in which people read them. Each person who sees the board
 * can present it; those who follow that person see each slide.
 */
import { CaptureUpdateAction } from '@excalidraw/excalidraw'
import type { ExcalidrawElement } from '@excalidraw/excalidraw/element/types'
import type { AppState, ExcalidrawImperativeAPI } from '@excalidraw/excalidraw/types'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { Button, IconButton } from '../../../design/index.ts'
import { t, textLanguage } from '../../../language/index.ts'
import { rowsOf } from './rows.ts'
import { showPart } from './view.ts'

interface Slide {
  /** The element of the frame. */
  readonly frame: string
  readonly name: string | null
  /** From 1. */
  readonly position: number
  readonly count: number
}

export interface Presentation {
  /** Null while nothing is presented. */
  readonly slide: Slide | null
  readonly begin: () => void
  readonly end: () => void
  readonly go: (step: Step) => void
}

type Step = 'first' | 'next' | 'previous' | 'last'

const steps: Readonly<Record<string, Step>> = {
  ArrowRight: 'next',
  ArrowDown: 'next',
  PageDown: 'next',
  ' ': 'next',
  Enter: 'next',
  ArrowLeft: 'previous',
  ArrowUp: 'previous',
  PageUp: 'previous',
  Backspace: 'previous',
  Home: 'first',
  End: 'last',
}

/** How much of the window a slide takes. */
const share = 0.94

function framesOf(elements: readonly ExcalidrawElement[]) {
  return rowsOf(elements.filter((element) => element.type === 'frame' && !element.isDeleted)).flat()
}

/** The slide a step leads to; null without frames. Frames may have changed since the slide before. */
function slideAfter(elements: readonly ExcalidrawElement[], now: Slide | null, step: Step): Slide | null {
  const frames = framesOf(elements)
  const found = frames.findIndex(({ id }) => id === now?.frame)
  const at = found === -1 ? (now?.position ?? 1) - 1 : found
  const last = frames.length - 1
  const to = { first: 0, last, next: at + 1, previous: at - 1 }[step]
  const index = Math.min(last, Math.max(0, to))
  const frame = frames[index]
  if (frame === undefined) return null
  const name = 'name' in frame ? frame.name : null
  return { frame: frame.id, name, position: index + 1, count: frames.length }
}

export function usePresentation(
  api: ExcalidrawImperativeAPI | null,
  surface: RefObject<HTMLElement | null>,
): Presentation {
  const [slide, setSlide] = useState<Slide | null>(null)
  /** What the canvas showed before. */
  const before = useRef<Pick<AppState, 'scrollX' | 'scrollY' | 'zoom'> | null>(null)
  const go = useCallback(
    (step: Step) => {
      if (api !== null) setSlide((now) => (now === null ? null : slideAfter(api.getSceneElements(), now, step)))
    },
    [api],
  )
  const begin = useCallback(() => {
    if (api === null) return
    const first = slideAfter(api.getSceneElements(), null, 'first')
    if (first === null) {
      api.setToast({ message: t('Nothing to present: draw a frame (F) around what belongs on a slide.') })
      return
    }
    const { scrollX, scrollY, zoom } = api.getAppState()
    before.current = { scrollX, scrollY, zoom }
    api.updateFrameRendering({ enabled: true, clip: true, name: false, outline: false })
    setSlide(first)
    // Without full screen, the slides fill the window.
    void surface.current?.requestFullscreen?.().catch(() => undefined)
  }, [api, surface])
  const isPresenting = slide !== null
  useEffect(() => {
    if (isPresenting || api === null || before.current === null) return
    if (document.fullscreenElement !== null) void document.exitFullscreen()
    api.updateFrameRendering({ enabled: true, clip: true, name: true, outline: true })
    api.updateScene({ appState: before.current, captureUpdate: CaptureUpdateAction.NEVER })
    before.current = null
  }, [api, isPresenting])
  const end = useCallback(() => setSlide(null), [])
  useKeys(isPresenting, go, end)
  useFittedSlide(api, surface, slide?.frame ?? null)
  return { slide, begin, end, go }
}

/** Before Excalidraw, which would take them for its tools. */
function useKeys(isPresenting: boolean, go: Presentation['go'], end: Presentation['end']): void {
  useEffect(() => {
    if (!isPresenting) return
    const onKey = (event: KeyboardEvent) => {
      const { key, target } = event
      // These press the button that has the focus.
      if ((key === ' ' || key === 'Enter') && target instanceof HTMLButtonElement) return
      const step = steps[key]
      if (step === undefined && key !== 'Escape') return
      event.preventDefault()
      event.stopPropagation()
      if (step === undefined) end()
      else go(step)
    }
    // The browser ends full screen by Escape without a key event.
    const onFullscreen = () => document.fullscreenElement === null && end()
    addEventListener('keydown', onKey, { capture: true })
    document.addEventListener('fullscreenchange', onFullscreen)
    return () => {
      removeEventListener('keydown', onKey, { capture: true })
      document.removeEventListener('fullscreenchange', onFullscreen)
    }
  }, [isPresenting, go, end])
}

/** Shows the frame of the slide, again whenever the window gets another size. */
function useFittedSlide(
  api: ExcalidrawImperativeAPI | null,
  surface: RefObject<HTMLElement | null>,
  frame: string | null,
): void {
  useEffect(() => {
    const element = surface.current
    if (api === null || frame === null || element === null) return
    const observer = new ResizeObserver(() => {
      const shown = api.getSceneElements().find(({ id }) => id === frame)
      const { width, height } = element.getBoundingClientRect()
      if (shown !== undefined) showPart(api, shown, { width, height }, share)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [api, surface, frame])
}

/** The slide's place and name, and the buttons. */
export function SlideBar({ slide, go, end }: Presentation & { readonly slide: Slide }) {
  const number = (value: number) => value.toLocaleString(textLanguage())
  const { position, count, name } = slide
  return (
    <div className="live-slides" role="group" aria-label={t('Presentation')}>
      <IconButton
        icon={ChevronLeft}
        label={t('Previous frame')}
        aria-disabled={position === 1 || undefined}
        onClick={() => go('previous')}
      />
      <span role="status" className="cut">
        {t('{position} of {count}', { position: number(position), count: number(count) })}
        {name !== null && ` · ${name}`}
      </span>
      <IconButton
        icon={ChevronRight}
        label={t('Next frame')}
        aria-disabled={position === count || undefined}
        onClick={() => go('next')}
      />
      <Button size="s" onClick={end}>
        {t('End presentation')}
      </Button>
    </div>
  )
}
