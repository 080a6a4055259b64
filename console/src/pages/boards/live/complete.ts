interface Stroke {
  readonly type: string
  readonly points?: unknown
  readonly pressures?: unknown
  readonly simulatePressure?: unknown
}

/**
 * The element with what Excalidraw reads of a stroke and does not restore: files of other programs leave out the pressures, and
 * the editor fails on them. Other elements are returned as they are.
 */
export function completed<E extends Stroke>(element: E): E {
  if (element.type !== 'freedraw') return element
  const points = Array.isArray(element.points) && element.points.length > 0 ? element.points : [[0, 0]]
  const pressures = Array.isArray(element.pressures) ? element.pressures : []
  const simulatePressure = pressures.length < points.length || element.simulatePressure === true
  return { ...element, points, pressures, simulatePressure }
}
