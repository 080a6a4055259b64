/**
 * Frames per second while a board of 5,000 elements is panned, beside Excalidraw alone on the same scene and the same size of
 * canvas. `node console/test/frames.ts` measures both in turn, in one browser, and prints each round, the medians and their
 * ratio. Run it while the machine is quiet.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { build } from 'vite'
import { importBoard } from '../../server/src/resources/board_items/import.ts'
import { excalidraw } from '../excalidraw.ts'
import { openStage, type Stage } from './stage.ts'

const elements_count = 5000
const rounds = 7
const round_ms = 3000

/** Shapes of four kinds in rows, as far apart as people draw them. */
function sceneOf(count: number): { readonly type: string; readonly version: number; readonly elements: object[] } {
  const kinds = ['rectangle', 'ellipse', 'diamond', 'rectangle']
  const elements = Array.from({ length: count }, (_, i) => ({
    ...{ id: `shape-${i}`, type: kinds[i % kinds.length], x: (i % 100) * 140, y: Math.floor(i / 100) * 110 },
    ...{ width: 100, height: 70, angle: 0, strokeColor: '#1e1e1e', backgroundColor: i % 3 ? 'transparent' : '#a5d8ff' },
    ...{ fillStyle: 'solid', strokeWidth: 1, strokeStyle: 'solid', roughness: 1, opacity: 100, groupIds: [] },
    ...{ frameId: null, roundness: null, seed: i + 1, version: 1, versionNonce: i + 1, isDeleted: false },
    ...{ boundElements: null, updated: 1, link: null, locked: false },
  }))
  return { type: 'excalidraw', version: 2, elements }
}

/** Serves Excalidraw alone, built as the console is. */
async function serveAlone(scene: object): Promise<{ readonly url: string; close(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-alone-'))
  const { default: react } = await import('@vitejs/plugin-react')
  await build({
    configFile: false,
    logLevel: 'warn',
    root: join(import.meta.dirname, 'alone'),
    plugins: [excalidraw(), react()],
    build: { outDir: folder, emptyOutDir: true, assetsInlineLimit: 0 },
  })
  const types: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css', '.html': 'text/html' }
  const server = createServer(({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://alone')
    if (pathname === '/scene.json') return void response.end(JSON.stringify(scene))
    const file = pathname === '/' ? '/index.html' : pathname
    try {
      response.setHeader('Content-Type', types[extname(file)] ?? 'application/octet-stream')
      response.end(readFileSync(join(folder, file)))
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close() {
      server.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Pans by one turn of the wheel a frame, and returns the frames per second. */
async function panned(page: Page): Promise<number> {
  await page.bringToFront()
  return await page.evaluate(async (ms) => {
    const canvas = document.querySelector('.excalidraw canvas.interactive') as HTMLCanvasElement
    const { left, top, width, height } = canvas.getBoundingClientRect()
    const at = { clientX: left + width / 2, clientY: top + height / 2, bubbles: true, cancelable: true }
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const started = performance.now()
    let frames = 0
    while (performance.now() - started < ms) {
      // To and fro, so that slow and fast pages keep the same elements in view.
      const way = frames % 2 === 0 ? 1 : -1
      canvas.dispatchEvent(new WheelEvent('wheel', { ...at, deltaX: way * 20, deltaY: way * 12 }))
      await frame()
      frames++
    }
    return (frames * 1000) / (performance.now() - started)
  }, round_ms)
}

async function openBoard(stage: Stage, scene: object): Promise<Page> {
  const { services } = stage.server
  const caller = await services.credentials.find(stage.key, Date.now())
  if (caller === null) throw new Error('The key of the stage is unknown.')
  const { organization, realm } = caller
  const file = Buffer.from(JSON.stringify(scene))
  const { id } = await importBoard(services, { organization, realm, mode: 'live', name: 'Large', file })
  await stage.atrium.boards.members.create(id, { user: stage.owner.user, role: 'editor' })
  const { page } = await stage.visit(`/boards/${id}/draw`)
  await page.locator('.excalidraw canvas.interactive').waitFor()
  await page.getByText('Saved', { exact: true }).waitFor()
  return page
}

/** Both show the same part of the scene at the same size and zoom. */
async function alignAlone(board: Page, alone: Page): Promise<void> {
  const box = await board.locator('.excalidraw canvas.interactive').boundingBox()
  if (box === null) throw new Error('The board has no canvas.')
  await alone.setViewportSize({ width: Math.round(box.width), height: Math.round(box.height) })
  for (const page of [board, alone]) {
    await page.bringToFront()
    await page.locator('.excalidraw canvas.interactive').click({ position: { x: 300, y: 300 } })
    await page.keyboard.press('Control+0')
    await page.keyboard.press('Shift+1')
  }
  const zooms = await Promise.all([board, alone].map((page) => page.locator('.reset-zoom-button').textContent()))
  if (zooms[0] !== zooms[1]) throw new Error(`The zooms differ: ${zooms.join(' and ')}.`)
  process.stdout.write(`zoom ${zooms[0]}\n`)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

async function run(): Promise<void> {
  const scene = sceneOf(elements_count)
  const [stage, server] = await Promise.all([openStage(), serveAlone(scene)])
  try {
    const board = await openBoard(stage, scene)
    const { page: alone } = await stage.browser.open(new URL(server.url).origin)
    await alone.goto(server.url)
    await alone.locator('.excalidraw canvas.interactive').waitFor()
    await alignAlone(board, alone)
    const [of, beside]: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round++) {
      of.push(await panned(board))
      beside.push(await panned(alone))
      process.stdout.write(`board ${of.at(-1)?.toFixed(1)}  alone ${beside.at(-1)?.toFixed(1)}\n`)
    }
    const ratios = of.map((value, i) => value / (beside[i] ?? 1))
    const [b, a, r] = [median(of), median(beside), median(ratios)]
    process.stdout.write(`median: board ${b.toFixed(1)}/s, alone ${a.toFixed(1)}/s, ratio ${r.toFixed(2)}\n`)
    process.exitCode = b > 30 || r >= 0.9 ? 0 : 1
  } finally {
    server.close()
    await stage.close()
  }
}

if (import.meta.main) void run()
