/** A whiteboard in a browser: opened, drawn on, and as the server keeps it. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { readScene } from '../../server/src/resources/board_items/scene/log.ts'
import type { SceneElement } from '../../server/src/resources/board_items/scene/merge.ts'
import { settled } from './checks.ts'
import type { Stage } from './stage.ts'

/** Waits until the canvas is there and everything is saved. */
export async function canvasOpened(page: Page): Promise<void> {
  await page.locator('.excalidraw canvas.interactive').waitFor()
  await page.getByText('Saved', { exact: true }).waitFor()
  await settled(page)
}

export async function canvasOf(page: Page) {
  const box = await page.locator('.excalidraw canvas.interactive').boundingBox()
  assert.ok(box)
  return box
}

export async function chooseTool(page: Page, name: string): Promise<void> {
  await page.locator(`[data-testid="toolbar-${name}"]`).locator('..').click()
}

/** Drags the mouse between two places, in pixels from the canvas's corner. */
export async function dragOnCanvas(
  page: Page,
  from: readonly [number, number],
  to: readonly [number, number],
): Promise<void> {
  const { x, y } = await canvasOf(page)
  await page.mouse.move(x + from[0], y + from[1])
  await page.mouse.down()
  await page.mouse.move(x + to[0], y + to[1], { steps: 4 })
  await page.mouse.up()
}

/** A board of which the owner is an editor. */
export async function makeBoard({ atrium, owner }: Stage, name: string): Promise<string> {
  const { id } = await atrium.boards.create({ name })
  await atrium.boards.members.create(id, { user: owner.user, role: 'editor' })
  return id
}

/** The elements that show, as the server keeps them. */
export async function elementsOf({ server, key }: Stage, board: string): Promise<SceneElement[]> {
  const { credentials, store } = server.services
  const caller = await credentials.find(key, Date.now())
  assert.ok(caller)
  const scene = await readScene(store.reader('system'), { realm: caller.realm, board })
  return scene?.shownElements() ?? []
}
