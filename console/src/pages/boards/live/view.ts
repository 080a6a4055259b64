/** Moves the canvas so that it shows a part of the drawing as large as it fits. */
import { CaptureUpdateAction } from '@excalidraw/excalidraw'
import type { ExcalidrawImperativeAPI } from '@excalidraw/excalidraw/types'

interface Part {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

interface Size {
  readonly width: number
  readonly height: number
}

/** Excalidraw's own bounds. */
const [zoom_min, zoom_max] = [0.1, 30]

/** Shows a part of the drawing. `size` is that of the canvas in pixels, `share` how much of it the part may take. */
export function showPart(api: ExcalidrawImperativeAPI, part: Part, size: Size = api.getAppState(), share = 1): void {
  const [width, height] = [Math.max(1, part.width), Math.max(1, part.height)]
  const value = Math.min(zoom_max, Math.max(zoom_min, Math.min(size.width / width, size.height / height) * share))
  const scrollX = -part.x + (size.width / value - width) / 2
  const scrollY = -part.y + (size.height / value - height) / 2
  // Excalidraw brands the number of a zoom.
  const zoom = { value } as ReturnType<typeof api.getAppState>['zoom']
  api.updateScene({ appState: { scrollX, scrollY, zoom }, captureUpdate: CaptureUpdateAction.NEVER })
}
