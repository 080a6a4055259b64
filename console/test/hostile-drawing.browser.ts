/**
 * Elements that no editor would send, drawn on a board by the API's own room, and opened in a real browser: each is refused
 * with its path or shown without effect, and the person goes on drawing.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { Drawer, rectangle } from '../../server/test/drawer.ts'
import { canvasOpened, chooseTool, dragOnCanvas, makeBoard } from './canvas.ts'
import { checkNoScriptRan } from './checks.ts'
import { hostile } from './drawings.ts'
import { stageOf } from './stage.ts'

const script = '<script>parent.__xss=1;top.__xss=1;window.__xss=1</script>'
const huge = 1e308
const line = (count: number) => Array.from({ length: count }, (_, i) => [i % 700, (i * 7) % 500])

/** Name of an element → what is wrong with it. The id of each is its name unless it says otherwise. */
const elements: Readonly<Record<string, object>> = {
  text: { type: 'text', text: hostile, originalText: hostile, fontSize: 20, fontFamily: 9999, lineHeight: -1 },
  large_text: { type: 'text', text: hostile, originalText: hostile, fontSize: huge, fontFamily: 1 },
  link: { link: 'javascript:window.__xss=1' },
  link_case: { link: ' JaVaScRiPt&colon;window.__xss=1' },
  link_data: { link: `data:text/html,${script}` },
  link_host: { link: '//evil.example/\u202egnp' },
  embeddable: { type: 'embeddable', link: 'https://evil.example/', validated: true },
  embeddable_script: { type: 'embeddable', link: 'javascript:window.__xss=1', validated: true },
  iframe: { type: 'iframe', link: null, customData: { generationData: { status: 'done', html: script } } },
  magic: { type: 'magicframe', name: hostile },
  image_path: { type: 'image', fileId: '../../session', status: 'saved', scale: [1, 1] },
  image_url: { type: 'image', fileId: 'https://evil.example/a.svg', status: 'saved', scale: [huge, -huge] },
  color: { strokeColor: 'url(https://evil.example/a.svg#b)', backgroundColor: 'red;background:url(//evil.example)' },
  fill: { fillStyle: hostile, strokeStyle: hostile, backgroundColor: '#fff' },
  far: { x: huge },
  wide: { width: huge, height: -huge },
  turned: { angle: huge },
  thick: { strokeWidth: huge, opacity: huge, roughness: huge, seed: huge },
  round: { roundness: { type: huge, value: -huge } },
  dense: { type: 'freedraw', points: line(9000), pressures: [huge], simulatePressure: false },
  bent: {
    type: 'line',
    points: [
      [0, 0],
      [huge, -huge],
    ],
  },
  one_point: { type: 'arrow', points: [[0, 0]] },
  no_points: { type: 'arrow', points: [] },
  self_bound: { type: 'arrow', points: line(3), startBinding: { elementId: 'self_bound', focus: huge, gap: -1 } },
  own_frame: { type: 'frame', frameId: 'own_frame', name: hostile },
  frame_a: { type: 'frame', frameId: 'frame_b', name: 'A' },
  frame_b: { type: 'frame', frameId: 'frame_a', name: 'B' },
  own_container: { type: 'text', text: 'a', originalText: 'a', fontSize: 20, containerId: 'own_container' },
  circle_a: { boundElements: [{ id: 'circle_b', type: 'text' }] },
  circle_b: { type: 'text', text: 'b', originalText: 'b', fontSize: 20, containerId: 'circle_a' },
  many_groups: { groupIds: Array.from({ length: 300 }, () => 'same') },
  constructor: { customData: { constructor: { prototype: { polluted: 1 } } } },
  toString: { boundElements: [{ id: 'hasOwnProperty', type: 'arrow' }] },
  author: { author: 'usr_01K1QX6V0000000000000000AA', creator: hostile, updated: -huge },
  kind: { type: 'constructor' },
}

describe('hostile elements on a board', () => {
  const stage = stageOf()

  /** Draws each element alone. Returns those that were refused, with the path of the fault. */
  async function drawAll(board: string): Promise<Record<string, string | undefined>> {
    const refused: Record<string, string | undefined> = {}
    for (const [i, [id, fields]] of Object.entries(elements).entries()) {
      const drawer = await new Drawer({ server: stage.server.url, board, key: stage.key }).joined()
      const at = { x: 300 + (i % 6) * 150, y: 150 + Math.floor(i / 6) * 100 }
      drawer.draw(rectangle(id, { ...at, ...fields } as Parameters<typeof rectangle>[1]))
      await drawer.until(() => drawer.refusals.length > 0 || drawer.saved)
      if (drawer.refusals[0] !== undefined) refused[id] = drawer.refusals[0].param
      drawer.leave()
    }
    return refused
  }

  const isHarmless = async (page: Page) => {
    await checkNoScriptRan(page)
    assert.equal(await page.evaluate(() => 'polluted' in {}), false, 'a key of an element reached the prototypes')
  }

  it('are refused with their path or shown without effect, and the person draws on', async () => {
    const board = await makeBoard(stage, 'Open house')
    assert.deepEqual(await drawAll(board), {
      large_text: 'elements[0].fontSize',
      far: 'elements[0].x',
      wide: 'elements[0].width',
      turned: 'elements[0].angle',
      thick: 'elements[0].strokeWidth',
      bent: 'elements[0].points[1][0]',
      own_frame: 'elements',
      frame_b: 'elements',
    })

    const watched = await stage.visit(`/boards/${board}/draw`)
    const { page } = watched
    page.on('dialog', () => assert.fail('a dialog was opened'))
    await canvasOpened(page)
    await isHarmless(page)
    // Only the element `iframe` has a frame, and nothing is in it.
    const frames = await page.locator('iframe').evaluateAll((all) => all.map((frame) => frame.getAttribute('srcdoc')))
    assert.deepEqual(frames, [''])

    await chooseTool(page, 'diamond')
    await dragOnCanvas(page, [700, 500], [850, 580])
    const late = await new Drawer({ server: stage.server.url, board, key: stage.key }).joined()
    await late.until(() => late.scene().some(({ type }) => type === 'diamond'))
    late.leave()
    await isHarmless(page)
    assert.deepEqual([watched.foreign, watched.violations, watched.errors], [[], [], []])
  })
})
