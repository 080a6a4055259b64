/** Moves the picture of a flow so far that a new card can be seen. */
import { useReactFlow, useStore } from '@xyflow/react'
import { useCallback, useEffect, useRef } from 'react'
import type { Place } from './graph.ts'
import { card_height, card_width } from './places.ts'

const margin_px = 24

interface RevealProps {
  readonly places: ReadonlyMap<string, Place>
}

export function Reveal({ places }: RevealProps) {
  const { getViewport, setViewport } = useReactFlow()
  const width = useStore((state) => state.width)
  const height = useStore((state) => state.height)
  const known = useRef<ReadonlySet<string>>(new Set(places.keys()))
  const added = useRef<Place | null>(null)

  const reveal = useCallback(
    (at: Place) => {
      const view = getViewport()
      const x = shiftInto(at.x * view.zoom + view.x, card_width * view.zoom, width)
      const y = shiftInto(at.y * view.zoom + view.y, card_height * view.zoom, height)
      if (x !== 0 || y !== 0) void setViewport({ ...view, x: view.x + x, y: view.y + y })
    },
    [getViewport, setViewport, width, height],
  )
  useEffect(() => {
    const [first, ...more] = [...places].filter(([id]) => !known.current.has(id))
    known.current = new Set(places.keys())
    added.current = first !== undefined && more.length === 0 ? first[1] : null
  }, [places])
  // Also when the canvas has become smaller, as by the panel that opens for the new card.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the places may have added a card
  useEffect(() => {
    if (added.current !== null) reveal(added.current)
  }, [places, reveal])
  return null
}

/** By how much a span has to move to lie between 0 and `room`. Its beginning counts if it does not fit. */
function shiftInto(from: number, length: number, room: number): number {
  if (from < margin_px) return margin_px - from
  return Math.max(margin_px - from, Math.min(0, room - margin_px - length - from))
}
