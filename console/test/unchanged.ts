/**
 * Whether drawings stay as they are: each file is imported, opened on the canvas, and saved again without an edit.
 * `node console/test/unchanged.ts FOLDER` does that with every `.excalidraw` file of a folder and prints what differs.
 */

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Page } from 'playwright-core'
import { importBoard } from '../../server/src/resources/board_items/import.ts'
import { readScene } from '../../server/src/resources/board_items/scene/log.ts'
import { settled } from './checks.ts'
import { openStage, type Stage } from './stage.ts'

type Fields = Readonly<Record<string, unknown>>

interface Drawn extends Fields {
  readonly id: string
  readonly type: string
}

/** What the server sets for elements that lack it, or that are out of order. */
const completed: ReadonlySet<string> = new Set(['version', 'versionNonce', 'index', 'updated'])

/** What a person sees of an element. Editors of different versions write the rest in different ways. */
const visible = [
  ...['type', 'x', 'y', 'width', 'height', 'angle', 'strokeColor', 'backgroundColor', 'fillStyle', 'strokeWidth'],
  ...['strokeStyle', 'opacity', 'text', 'fontSize', 'points', 'fileId', 'link', 'name'],
]

/** What differs between a file, the board that it was imported to, that board after it was opened, and the file saved there. */
export async function changesOf(stage: Stage, page: Page, name: string, file: Uint8Array): Promise<string[]> {
  const { services } = stage.server
  const caller = await services.credentials.find(stage.key, Date.now())
  if (caller === null) throw new Error('The key of the stage is unknown.')
  const { organization, realm } = caller
  const { id: board } = await importBoard(services, { organization, realm, mode: 'live', name, file })
  await stage.atrium.boards.members.create(board, { user: stage.owner.user, role: 'editor' })
  const stored = async () => {
    const scene = await readScene(services.store.reader('system'), { realm, board })
    return (scene?.shownElements() ?? []) as unknown as Drawn[]
  }
  const drawn = (JSON.parse(Buffer.from(file).toString()) as { elements: (Drawn & { isDeleted?: boolean })[] }).elements
  const sent = drawn.filter(({ isDeleted }) => isDeleted !== true)
  const imported = await stored()
  await page.goto(`${stage.url}/boards/${board}/draw`)
  await page.locator('.excalidraw canvas.interactive').waitFor()
  await page.getByText('Saved', { exact: true }).waitFor()
  await settled(page)
  const saved = await saveOn(page)
  return [
    ...differences('imported', sent, imported, (name) => !completed.has(name)),
    ...differences('opened', imported, await stored(), () => true),
    ...differences('saved', sent.map(placed), saved.map(placed), (name) => visible.includes(name)),
  ]
}

/** A line with the points where they are drawn: other programs begin lines anywhere, Excalidraw at their first point. */
function placed(element: Drawn): Drawn {
  const { x, y, points } = element
  if (!Array.isArray(points)) return element
  const round = (value: number) => Math.round(value * 1000) / 1000
  const drawn = points.map(([right, down]) => [round(Number(x) + right), round(Number(y) + down)])
  return { ...element, x: null, y: null, width: null, height: null, points: drawn }
}

/** The elements of the file that the canvas saves. */
async function saveOn(page: Page): Promise<Drawn[]> {
  await page.getByTestId('main-menu-trigger').click()
  await page.getByTestId('json-export-button').click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save to file', exact: true }).click(),
  ])
  const { elements } = JSON.parse(readFileSync(await download.path(), 'utf8')) as { elements: Drawn[] }
  return elements
}

function differences(
  when: string,
  before: readonly Drawn[],
  after: readonly Drawn[],
  counts: (name: string) => boolean,
): string[] {
  const byId = new Map(after.map((element) => [element.id, element]))
  const order = isDeepStrictEqual(
    [...byId.keys()],
    before.map(({ id }) => id),
  )
    ? []
    : [`${when}: other elements`]
  const fields = before.flatMap((element) => {
    const now = byId.get(element.id)
    if (now === undefined) return [`${when}: ${element.type} ${element.id} is missing`]
    return Object.keys(element)
      .filter((name) => counts(name) && !isDeepStrictEqual(element[name], now[name]))
      .map((name) => `${when}: ${element.type} ${element.id} ${name}: ${json(element[name])} → ${json(now[name])}`)
  })
  return [...order, ...fields]
}

function json(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 80)
}

/** Runs in the page: without this function, files are saved by a download, which a test can follow. */
export function saveByDownload(): void {
  Reflect.deleteProperty(window, 'showOpenFilePicker')
}

async function run(folder: string): Promise<void> {
  const stage = await openStage()
  try {
    const { page } = await stage.visit('/boards')
    await page.addInitScript(saveByDownload)
    let changed = 0
    for (const name of globSync('*.excalidraw', { cwd: folder }).sort()) {
      const changes = await changesOf(stage, page, name, readFileSync(join(folder, name))).catch((error) => [
        `refused: ${(error as Error).message.split('\n')[0]}`,
      ])
      if (changes.length > 0) changed++
      process.stdout.write(`${name}: ${changes.length === 0 ? 'unchanged' : `${changes.length} differences`}\n`)
      for (const change of changes.slice(0, 5)) process.stdout.write(`  ${change}\n`)
    }
    process.exitCode = changed === 0 ? 0 : 1
  } finally {
    await stage.close()
  }
}

if (import.meta.main) void run(process.argv[2] ?? '.')
