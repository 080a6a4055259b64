/** Sends the pointer, the selection and the visible part of the canvas to the others, so that they can follow. */
import type { ExcalidrawImperativeAPI, ExcalidrawProps } from '@excalidraw/excalidraw/types'
import { useCallback, useEffect, useRef } from 'react'
import type { Pointer } from './connection.ts'
import type { LiveBoard } from './live-board.ts'

/** Twenty times a second at most. */
const pointer_ms = 50
const selection_max = 200

type Place = Pick<Pointer, 'x' | 'y' | 'tool' | 'button'>

/** Returns what Excalidraw calls for each move of the pointer. A move of the canvas is sent, too, with the last pointer. */
export function usePointer(api: ExcalidrawImperativeAPI | null, liveBoard: LiveBoard | null) {
  const last = useRef<Place | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const sent_at = useRef(0)
  const send = useCallback(() => {
    timer.current = undefined
    if (api === null) return
    sent_at.current = performance.now()
    const { scrollX, scrollY, zoom, width, height, selectedElementIds } = api.getAppState()
    const view = [-scrollX, -scrollY, width / zoom.value, height / zoom.value] as const
    const middle = { x: view[0] + view[2] / 2, y: view[1] + view[3] / 2, tool: 'pointer', button: 'up' } as const
    liveBoard?.point({
      ...(last.current ?? middle),
      selected: Object.keys(selectedElementIds).slice(0, selection_max),
      view,
    })
  }, [api, liveBoard])
  /** The last state is always sent. */
  const sendSoon = useCallback(() => {
    timer.current ??= setTimeout(send, Math.max(0, sent_at.current + pointer_ms - performance.now()))
  }, [send])
  useEffect(() => {
    const stop = api?.onScrollChange(sendSoon)
    return () => {
      stop?.()
      clearTimeout(timer.current)
      timer.current = undefined
    }
  }, [api, sendSoon])
  return useCallback<NonNullable<ExcalidrawProps['onPointerUpdate']>>(
    ({ pointer: { x, y, tool }, button }) => {
      last.current = { x, y, tool, button }
      sendSoon()
    },
    [sendSoon],
  )
}
