/** The threads of a board as pins on its canvas, with the chosen one and the one that is being written. */
import { useRef } from 'react'
import type { PinsOnCanvas, Place } from './pins.tsx'

type Pin = PinsOnCanvas['pins'][number]

interface ShownThreads {
  readonly pins: readonly Pin[]
  /** Who begins a new thread, and how its pin is labelled. */
  readonly own: Pick<Pin, 'label' | 'author'>
  readonly chosen: string | null
  readonly isPanelOpen: boolean
  readonly onOpen: (thread: string) => void
}

interface Placing {
  readonly draft: Place | null
  readonly setDraft: (place: Place | null) => void
  readonly isPlacing: boolean
  readonly setPlacing: (isPlacing: boolean) => void
}

/** The id of the pin of a thread that is being written. */
const new_pin = 'new'

export function usePinsOnCanvas(
  { draft, setDraft, isPlacing, setPlacing }: Placing,
  threads: ShownThreads,
): PinsOnCanvas {
  const { pins, own, chosen, isPanelOpen, onOpen } = threads
  const shown = draft === null ? pins : [...pins, { ...own, id: new_pin, ...draft }]
  const latest = useRef<PinsOnCanvas['pins']>([])
  // The same pins stay the same object, so that the canvas does not draw them again.
  if (JSON.stringify(shown) !== JSON.stringify(latest.current)) latest.current = shown
  return {
    pins: latest.current,
    chosen: draft !== null ? new_pin : isPanelOpen ? chosen : null,
    isPlacing: isPlacing && isPanelOpen,
    onOpen: (id) => id !== new_pin && onOpen(id),
    onPlace: (place) => {
      setPlacing(false)
      setDraft(place)
    },
  }
}
