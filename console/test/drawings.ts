/** Excalidraw drawings: ordinary ones, and one with everything that a hostile file could contain. */
import { box, file } from '../../server/test/excalidraw.ts'

/** A text that would run a script if a page took it for HTML; `checkNoScriptRan` detects it. */
export const hostile = `<img src=x onerror="window.__xss=1"><script>window.__xss=1</script>`

/** 150 rectangles in rows of fifteen. */
export const rectangles = file(
  Array.from({ length: 150 }, (_, i) => box(`box-${i}`, { x: (i % 15) * 120, y: Math.floor(i / 15) * 70 })),
).toString()

export const element = (id: string, fields: object) => ({
  ...{ id, type: 'rectangle', x: 0, y: 0, width: 300, height: 80, angle: 0, strokeColor: '#1e1e1e' },
  ...{ backgroundColor: 'transparent', strokeWidth: 1, opacity: 100, groupIds: [], link: null },
  ...fields,
})

export const scene = (...elements: object[]) => JSON.stringify({ type: 'excalidraw', version: 2, elements, files: {} })

const points = (...pairs: [x: number, y: number][]) => ({ points: pairs })

export const hostileScene = scene(
  element('note', { type: 'text', text: hostile, originalText: hostile, fontSize: 20 }),
  element('colors', {
    ...{ y: 120, strokeColor: 'url(https://evil.example/a.svg#b)', backgroundColor: 'red;background:url(x)' },
  }),
  element('script', { y: 240, link: 'javascript:window.__xss=1' }),
  element('plain', { y: 360, link: 'http://evil.example/' }),
  element('page', { type: 'embeddable', y: 480, link: 'https://maps.example/harbour' }),
  element('picture', { type: 'image', y: 600, fileId: 'missing' }),
  element('head', { type: 'arrow', y: 720, ...points([0, 0], [200, 0], [200, 60]), endArrowhead: 'arrow' }),
  element('pen', { type: 'freedraw', y: 840, ...points([0, 0], [20, 10], [40, 5]) }),
  element('frame', { type: 'frame', y: 960, name: hostile }),
  element('inside', { type: 'diamond', x: 20, y: 970, width: 90, height: 60, frameId: 'frame' }),
)
