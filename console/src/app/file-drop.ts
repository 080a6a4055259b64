/** Files dropped on the page. */
import { useEffect, useRef, useState } from 'react'
import { hasFiles } from './stray-files.ts'

/** Returns whether a file is being dragged over the page. */
export function useFileDrop(enabled: boolean, onDrop: (files: FileList | null) => void): boolean {
  const [isOver, setOver] = useState(false)
  const latest = useRef(onDrop)
  latest.current = onDrop
  useEffect(() => {
    if (!enabled) return
    // Counts nested elements: the browser enters a child before it leaves the parent.
    let depth = 0
    const track = (by: 1 | -1) => (event: DragEvent) => {
      if (!hasFiles(event)) return
      depth = Math.max(0, depth + by)
      setOver(depth > 0)
    }
    const allowDrop = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      // The frame may have refused it before.
      if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'copy'
    }
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      depth = 0
      setOver(false)
      latest.current(event.dataTransfer?.files ?? null)
    }
    const listeners = [
      ['dragenter', track(1)],
      ['dragleave', track(-1)],
      ['dragover', allowDrop],
      ['drop', drop],
    ] as const
    for (const [type, listener] of listeners) addEventListener(type, listener)
    return () => {
      for (const [type, listener] of listeners) removeEventListener(type, listener)
      setOver(false)
    }
  }, [enabled])
  return isOver
}
