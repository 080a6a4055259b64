/** The drawing of a board, with panning and zooming. */
import { Maximize, Minus, Plus } from 'lucide-react'
import { type KeyboardEvent, useRef } from 'react'
import { useShortcut } from '../../app/shortcuts.ts'
import { IconButton } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { Drawing } from './drawing.tsx'
import type { Scene } from './scene.ts'
import { useViewport } from './viewport.ts'

const step = 1.25
const arrow_px = 80
const arrows: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-arrow_px, 0],
  ArrowRight: [arrow_px, 0],
  ArrowUp: [0, -arrow_px],
  ArrowDown: [0, arrow_px],
}

interface CanvasProps {
  readonly name: string
  readonly scene: Scene
}

export function Canvas({ name, scene }: CanvasProps) {
  const frame = useRef<HTMLDivElement>(null)
  const { view, zoomBy, moveBy, fit, handlers } = useViewport(frame, scene.bounds)
  useShortcut('+', t('Zoom in'), () => zoomBy(step))
  useShortcut('=', t('Zoom in'), () => zoomBy(step))
  useShortcut('-', t('Zoom out'), () => zoomBy(1 / step))
  useShortcut('0', t('Fit to screen'), fit)
  const onArrow = (event: KeyboardEvent) => {
    const step_px = arrows[event.key]
    if (step_px === undefined || event.altKey || event.metaKey || event.ctrlKey) return
    event.preventDefault()
    moveBy(...step_px)
  }
  const { x, y, zoom } = view
  const percent = Math.round(zoom * 100)
  return (
    <section className="board-canvas" aria-label={t('Drawing of {name}', { name })}>
      <div
        ref={frame}
        className="board-paper"
        role="group"
        aria-label={t('Drawing: move with the arrow keys, zoom with plus and minus, fit with 0')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys need the focus
        tabIndex={0}
        onKeyDown={onArrow}
        onDragStart={(event) => event.preventDefault()}
        {...handlers}
      >
        {/* biome-ignore lint/a11y/noSvgWithoutTitle: a title would show as a tooltip everywhere; the section is labelled */}
        <svg className="drawing">
          <g transform={`scale(${zoom}) translate(${-x} ${-y})`}>
            <Drawing scene={scene} />
          </g>
        </svg>
      </div>
      <div className="board-tools">
        <IconButton icon={Minus} label={t('Zoom out')} keys="-" size="s" onClick={() => zoomBy(1 / step)} />
        <output className="board-zoom numbers" aria-label={t('Zoom')}>
          {/* A new element for each figure, so that a longer one does not count as a layout shift. */}
          <span key={percent}>{percent}%</span>
        </output>
        <IconButton icon={Plus} label={t('Zoom in')} keys="+" size="s" onClick={() => zoomBy(step)} />
        <IconButton icon={Maximize} label={t('Fit to screen')} keys="0" size="s" onClick={fit} />
      </div>
    </section>
  )
}
