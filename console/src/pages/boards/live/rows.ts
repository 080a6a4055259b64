/** The order in which people read what lies on a canvas. */

interface Box {
  readonly x: number
  readonly y: number
  readonly height: number
}

/** Boxes from the top, those side by side in one row from the left. */
export function rowsOf<B extends Box>(boxes: readonly B[]): B[][] {
  const rows: B[][] = []
  for (const box of boxes.toSorted((a, b) => a.y - b.y)) {
    const row = rows.at(-1)
    const first = row?.[0]
    if (row !== undefined && first !== undefined && box.y < first.y + first.height / 2) row.push(box)
    else rows.push([box])
  }
  return rows.map((row) => row.toSorted((a, b) => a.x - b.x))
}
