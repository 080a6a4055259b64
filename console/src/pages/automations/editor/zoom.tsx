/**
 * Tells the style sheet of the canvas how far it is zoomed. The buttons that add a step stay 24 pixels large on the screen, the least
 * that a finger or a shaking hand hits; where a picture is too small for them, they are hidden.
 */
import { useStore } from '@xyflow/react'
import { useLayoutEffect } from 'react'

/** Below it, buttons of neighbouring ports would touch: they are 30 pixels apart at least. */
const all_ports_min = 0.8
/** Below it, the button of a card's only port would cover its text. */
const only_port_min = 0.5

export function Zoom() {
  const zoom = useStore(({ transform }) => transform[2])
  const canvas = useStore(({ domNode }) => domNode)
  useLayoutEffect(() => {
    canvas?.style.setProperty('--flow-zoom', String(zoom))
    canvas?.setAttribute('data-adds-at', addsAt(zoom))
  }, [canvas, zoom])
  return null
}

function addsAt(zoom: number): 'all-ports' | 'only-ports' | 'no-ports' {
  if (zoom >= all_ports_min) return 'all-ports'
  return zoom >= only_port_min ? 'only-ports' : 'no-ports'
}
