/** Files that are dropped anywhere on the page. */
import { useEffect, useRef, useState } from 'react'

/** Whether a file is held over the page. */
export function useDropping(enabled: boolean, take: (files: FileList | null) => void): boolean {
  const [over, setOver] = useState(false)
  const latest = useRef(take)
  latest.current = take
  useEffect(() => {
    if (!enabled) return
    // Entering a child comes before leaving its parent.
    let depth = 0
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
    const move = (by: number) => (event: DragEvent) => {
      if (!hasFiles(event)) return
      depth = Math.max(0, depth + by)
      setOver(depth > 0)
    }
    const [enter, leave] = [move(1), move(-1)]
    const hold = (event: DragEvent) => {
      if (hasFiles(event)) event.preventDefault()
    }
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      depth = 0
      setOver(false)
      latest.current(event.dataTransfer?.files ?? null)
    }
    const listeners = [
      ['dragenter', enter],
      ['dragleave', leave],
      ['dragover', hold],
      ['drop', drop],
    ] as const
    for (const [type, listener] of listeners) addEventListener(type, listener)
    return () => {
      for (const [type, listener] of listeners) removeEventListener(type, listener)
      setOver(false)
    }
  }, [enabled])
  return over
}
