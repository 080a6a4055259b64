/** The drawing of a board, to be moved and zoomed. */
import { Maximize, Minus, Plus } from 'lucide-react'
import { type KeyboardEvent, useRef } from 'react'
import { useShortcut } from '../../app/shortcuts.ts'
import { IconButton } from '../../design/index.ts'
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
  useShortcut('+', 'Zoom in', () => zoomBy(step))
  useShortcut('=', 'Zoom in', () => zoomBy(step))
  useShortcut('-', 'Zoom out', () => zoomBy(1 / step))
  useShortcut('0', 'Show all of the drawing', fit)
  const move = (event: KeyboardEvent) => {
    const by = arrows[event.key]
    if (by === undefined || event.altKey || event.metaKey || event.ctrlKey) return
    event.preventDefault()
    moveBy(...by)
  }
  const { x, y, zoom } = view
  const percent = Math.round(zoom * 100)
  return (
    <section className="board-canvas" aria-label={`Drawing of ${name}`}>
      <div
        ref={frame}
        className="board-paper"
        role="group"
        aria-label="Arrows move the drawing, plus and minus zoom, 0 shows all of it"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what is moved with the arrows takes the focus
        tabIndex={0}
        onKeyDown={move}
        onDragStart={(event) => event.preventDefault()}
        {...handlers}
      >
        {/* biome-ignore lint/a11y/noSvgWithoutTitle: a title would follow the pointer everywhere; the section is named */}
        <svg className="drawing">
          <g transform={`scale(${zoom}) translate(${-x} ${-y})`}>
            <Drawing scene={scene} />
          </g>
        </svg>
      </div>
      <div className="board-tools">
        <IconButton icon={Minus} label="Zoom out" keys="-" size="s" onClick={() => zoomBy(1 / step)} />
        <output className="board-zoom numbers" aria-label="Zoom">
          {/* Another figure is another word, and not one that moves over. */}
          <span key={percent}>{percent} %</span>
        </output>
        <IconButton icon={Plus} label="Zoom in" keys="+" size="s" onClick={() => zoomBy(step)} />
        <IconButton icon={Maximize} label="Show all" keys="0" size="s" onClick={fit} />
      </div>
    </section>
  )
}
