/** Frames that would contain themselves, directly or through others: editors follow `frameId` until it ends. */

/** Name of the frame of an element; null if it has none. */
export type FrameOf = (id: string) => string | null

/** The first of these elements whose frames lead back to one of them; undefined if all end. */
export function withoutEnd(ids: Iterable<string>, frameOf: FrameOf): string | undefined {
  const ending = new Set<string>()
  for (const id of ids) {
    const path = new Set<string>()
    for (let at: string | null = id; at !== null && !ending.has(at); at = frameOf(at)) {
      if (path.has(at)) return id
      path.add(at)
    }
    for (const each of path) ending.add(each)
  }
  return undefined
}
