/** Which lanes of a board are near the view: only these are read and rendered. */
import { useEffect, useState } from 'react'

/** Lanes this far from the view count as near, in pixels. */
const near_px = 640
/** Lanes that are near before the page is laid out. */
const first_lanes = 5

interface NearLanes {
  readonly near: ReadonlySet<string>
  /** Those that are near or have been. */
  readonly seen: ReadonlySet<string>
}

/** `attribute` holds a lane's id on its element. The lane `always` is near wherever it is. */
export function useNearLanes(
  frame: HTMLElement | null,
  lanes: readonly string[],
  attribute: string,
  always?: string,
): NearLanes {
  const ids = lanes.join('\n')
  const [{ near, seen }, setNear] = useState<NearLanes>(() => {
    const first = new Set([...(always === undefined ? [] : [always]), ...lanes.slice(0, first_lanes)])
    return { near: first, seen: first }
  })
  useEffect(() => {
    if (frame === null) return
    const observer = new IntersectionObserver(
      (entries) =>
        setNear((was) => {
          const now = new Set(was.near)
          for (const { target, isIntersecting } of entries) {
            const id = target.getAttribute(attribute) ?? ''
            if (isIntersecting) now.add(id)
            else now.delete(id)
          }
          if (always !== undefined) now.add(always)
          return { near: now, seen: new Set([...was.seen, ...now]) }
        }),
      { root: frame, rootMargin: `0px ${near_px}px` },
    )
    const known = new Set(ids.split('\n'))
    for (const lane of frame.querySelectorAll(`[${attribute}]`)) {
      const id = lane.getAttribute(attribute) ?? ''
      if (known.has(id) && id !== always) observer.observe(lane)
    }
    return () => observer.disconnect()
  }, [frame, ids, attribute, always])
  return { near, seen }
}
