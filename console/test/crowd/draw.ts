/**
 * Real browsers that draw on one board over a bad network while its server is killed: pages of one Chromium with a context each,
 * every second one a guest of a link. At the end each page, a page that is opened then, and the API must show the same scene.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Page } from 'playwright-core'
import { openDeployment } from '../../../proof/deployment.ts'
import { Dice } from '../../../proof/dice.ts'
import { readConfig } from '../../../server/src/config.ts'
import { createOperatorLink } from '../../../server/src/console/links/create-operator-link.ts'
import { openServices } from '../../../server/src/main.ts'
import { type OpenBrowser, openBrowser } from '../../../server/test/browser.ts'
import { call } from '../../../server/test/call.ts'
import type { Installation } from '../../../server/test/durability/installation.ts'
import type { ServerProcess } from '../../../server/test/durability/processes.ts'
import { saveByDownload } from '../unchanged.ts'
import { openBadNetwork } from './bad-network.ts'

export interface CrowdOptions {
  /** 2 to 30. */
  readonly pages: number
  /** Strokes of each page. */
  readonly strokes: number
  readonly seed: number
  /** How often the pages are compared, a second apart, until they agree. Default: 20. */
  readonly looks_max?: number
  /** Default: one of its own. */
  readonly browser?: OpenBrowser
  /** Called after each stroke with the number of all so far. */
  readonly onStroke?: (strokes: number) => void
}

export interface CrowdReport {
  readonly pages: number
  readonly guests: number
  readonly strokes: number
  readonly seed: number
  readonly messages: number
  readonly waits: number
  readonly cuts: number
  readonly elements: number
  /** How often the pages were compared until they agreed. */
  readonly looks: number
  readonly seconds: number
  /** What differs at the end; empty if all is the same. */
  readonly differences: readonly string[]
}

/** A fifth of the messages is lost at first, and a connection is cut after some seconds: of many, one each second. */
const lost = 0.2
const life_ms = (pages: number) => Math.max(8, pages) * 1000
const size = { width: 1024, height: 600 }
/** Many pages draw less often: each draws what all have changed. */
const frame_ms = (pages: number) => Math.max(250, pages * 66)
/** New elements of all pages. A board has at most 5,000, and 10,000 with those deleted within a day. */
const elements_many = 4500
const looks_default = 20
const publish_ms_max = 60_000
const wait_ms_max = 300_000
const password = 'correct horse battery staple'

type Element = Readonly<Record<string, unknown>> & { readonly id: string }

export async function drawInCrowd({ browser, ...options }: CrowdOptions): Promise<CrowdReport> {
  const opened = browser ?? (await openBrowser())
  try {
    return await drawIn(opened, options)
  } finally {
    if (browser === undefined) await opened.close()
  }
}

async function drawIn(browser: OpenBrowser, options: CrowdOptions): Promise<CrowdReport> {
  const { pages: count, strokes, seed, looks_max = looks_default, onStroke = () => {} } = options
  const started = performance.now()
  const dice = new Dice(seed)
  const now: { server: ServerProcess | null } = { server: null }
  const server = () => now.server?.url ?? 'http://127.0.0.1:1'
  const network = await openBadNetwork({ server, random: () => dice.unit(), lost, life_ms: life_ms(count) })
  const pages: Page[] = []
  try {
    await using deployment = await openDeployment('sqlite', { ATRIUM_PUBLIC_URL: network.url, ATRIUM_WORKERS: 'true' })
    const setup = await ownersLink(deployment.installation)
    now.server = await deployment.serve()
    const board = await makeBoard(server(), deployment.installation.key)
    for (let i = 0; i < count; i++)
      pages.push(await enter(browser, network.url, pages[0], { number: i, of: count, setup, ...board }))
    for (const page of pages) await isReady(page)
    for (const [i, page] of pages.entries()) await stand(page, i)
    let done = 0
    const onEach = () => onStroke(++done)
    const plan = { strokes, drawn: Math.min(1, elements_many / (count * strokes)), dice, onEach }
    const drawing = Promise.all(pages.map((page) => drawSome(page, plan)))
    // In between, when half is drawn.
    while (done < (count * strokes) / 2 && !(await isDone(drawing, 20)));
    await now.server.kill()
    now.server = await deployment.serve()
    await drawing
    const elsewhere = { server, key: deployment.installation.key, board: board.id, looks_max }
    const { differences, elements, looks } = await compare(pages, elsewhere)
    const seconds = Math.round((performance.now() - started) / 100) / 10
    const guests = Math.floor(count / 2)
    return { pages: count, guests, strokes, seed, ...network.counts, elements, looks, seconds, differences }
  } finally {
    for (const page of pages) await page.context().close()
    await network.close()
  }
}

async function isDone(work: Promise<unknown>, wait_ms: number): Promise<boolean> {
  return await Promise.race([work.then(() => true), sleep(wait_ms, false)])
}

/** The link by which the owner sets a password. */
async function ownersLink({ environment, organization }: Installation): Promise<string> {
  const services = await openServices(readConfig(environment))
  try {
    return (await createOperatorLink(services, { organization, email: 'owner@acme.example', role: 'owner' })).url
  } finally {
    await services.close()
  }
}

async function makeBoard(url: string, key: string): Promise<{ readonly id: string; readonly secret: string }> {
  const post = async (path: string, body: object) => {
    const reply = await call(url, 'POST', path, { key, body })
    if (reply.status !== 200) throw new Error(`POST ${path}: ${reply.text}`)
    return reply.body
  }
  const { id } = await post('/v1/boards', { name: 'Crowd' })
  const members = await call(url, 'GET', '/v1/members', { key })
  for (const { user, email } of members.body.data)
    if (email === 'owner@acme.example') await post(`/v1/boards/${id}/members`, { user, role: 'editor' })
  const { secret } = await post(`/v1/boards/${id}/links`, { name: 'Crowd', role: 'editor' })
  return { id, secret }
}

interface Entrance {
  readonly number: number
  readonly of: number
  readonly setup: string
  readonly id: string
  readonly secret: string
}

/** Opens the board on a page. Members share the session of one person, which the first page begins. */
async function enter(browser: OpenBrowser, url: string, first: Page | undefined, entrance: Entrance): Promise<Page> {
  const { number, of, setup, id, secret } = entrance
  const isGuest = number % 2 === 1
  const shared = first === undefined || isGuest ? {} : { storageState: await first.context().storageState() }
  const page = await openPage(browser, url, frame_ms(of), shared)
  if (isGuest) {
    await page.goto(`${url}/b#${secret}`)
    await page.getByLabel('Your name').fill(`Guest ${number}`)
    await page.keyboard.press('Enter')
    return page
  }
  if (first === undefined) {
    await page.goto(setup)
    await page.getByLabel('New password').fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
  }
  await page.goto(`${url}/boards/${id}/draw`)
  return page
}

async function openPage(browser: OpenBrowser, url: string, frame_ms: number, options: object): Promise<Page> {
  const { page } = await browser.open(url, { viewport: size, ...options })
  page.context().setDefaultTimeout(wait_ms_max)
  await page.addInitScript(saveByDownload)
  await page.addInitScript(drawSeldom, frame_ms)
  return page
}

/** Thirty pages that draw each frame would leave the machine no time for strokes. */
function drawSeldom(frame_ms: number): void {
  window.requestAnimationFrame = (draw) => window.setTimeout(() => draw(performance.now()), frame_ms)
  window.cancelAnimationFrame = (frame) => window.clearTimeout(frame)
}

/** Resolves when the canvas is there and all is saved. */
async function isReady(page: Page): Promise<void> {
  await page.locator('.excalidraw canvas.interactive').waitFor()
  await page.getByText('Saved', { exact: true }).waitFor()
  await page.locator('[aria-busy="true"] .excalidraw').waitFor({ state: 'detached' })
}

const tools = ['r', 'o', 'd', 'a', 'p'] as const
const moves = ['Shift+ArrowLeft', 'Shift+ArrowRight', 'Shift+ArrowUp', 'Shift+ArrowDown'] as const
/** Of the strokes that draw nothing new, those that delete. */
const deleted = 0.04

/** The middle of a page, where it draws: the edge has tools and menus. */
const area = { left: 0.25, top: 0.3, width: 0.5, height: 0.4 }

/** Pages draw beside each other in rows of this many, so that neighbours draw over each other and a board has room for all. */
const row = 6
/** Of what is drawn, the part by which a page stands beside the one before. */
const beside = 0.7

interface Plan {
  readonly strokes: number
  /** The share of strokes that draw something new; the others change what is there. */
  readonly drawn: number
  readonly dice: Dice
  readonly onEach: () => void
}

/**
 * Draws shapes, arrows and lines by keyboard and mouse, and moves and deletes some of them, also what a box encloses, which others
 * may have drawn.
 */
async function drawSome(page: Page, { strokes, drawn, dice, onEach }: Plan): Promise<void> {
  const box = await boxOf(page)
  const any = (): [number, number] => [
    box.x + box.width * (area.left + dice.unit() * area.width),
    box.y + box.height * (area.top + dice.unit() * area.height),
  ]
  const enclose = async (key: string) => {
    await page.keyboard.press('v')
    await drag(page, any(), any())
    await page.keyboard.press(key)
  }
  const draw = async () => {
    await page.keyboard.press(dice.pick(tools))
    await drag(page, any(), any())
    const what = dice.unit()
    if (what < 0.25) for (let n = dice.int(1, 4); n > 0; n--) await page.keyboard.press('Shift+ArrowRight')
    else if (what < 0.35) await page.keyboard.press('Delete')
    else if (what < 0.4) await enclose('Shift+ArrowDown')
    else if (what < 0.45) await enclose('Delete')
    else if (what < 0.55) await page.keyboard.press('Control+z')
  }
  for (let i = 0; i < strokes; i++) {
    if (dice.unit() < drawn) await draw()
    else await enclose(dice.unit() < deleted ? 'Delete' : dice.pick(moves))
    await page.keyboard.press('Escape')
    onEach()
  }
}

/** Scrolls a page to its place. */
async function stand(page: Page, number: number): Promise<void> {
  const { x, y, width, height } = await boxOf(page)
  await page.mouse.move(x + width / 2, y + height / 2)
  const column = number % row
  await page.mouse.wheel(column * width * area.width * beside, Math.floor(number / row) * height * area.height * beside)
}

async function boxOf(page: Page) {
  const box = await page.locator('.excalidraw canvas.interactive').boundingBox()
  if (box === null) throw new Error('The page has no canvas.')
  return box
}

async function drag(page: Page, [x, y]: readonly [number, number], [toX, toY]: readonly [number, number]) {
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(toX, toY, { steps: 3 })
  await page.mouse.up()
}

interface Elsewhere {
  readonly server: () => string
  readonly key: string
  readonly board: string
  readonly looks_max: number
}

/** Compares all pages with one that is opened now, until they agree or have had their time, and then with the API. */
async function compare(pages: readonly Page[], { server, key, board, looks_max }: Elsewhere) {
  for (const page of pages) await isReady(page)
  let late: readonly Element[] = []
  let differences: string[] = []
  let looks = 0
  do {
    if (looks++ > 0) await sleep(1000)
    const again = pages[0] as Page
    await again.reload()
    await isReady(again)
    late = await saveOn(again)
    differences = []
    for (const [i, page] of pages.entries()) {
      if (i > 0) differences.push(...differencesOf(`page ${i}`, await saveOn(page), late))
    }
  } while (differences.length > 0 && looks < looks_max)
  if (differences.length === 0) differences = await differencesOfItems(late, { server, key, board })
  return { differences, elements: late.length, looks }
}

/** What the file of a canvas has, in its order. */
async function saveOn(page: Page): Promise<Element[]> {
  await page.keyboard.press('Escape')
  await page.getByTestId('main-menu-trigger').click()
  await page.getByTestId('json-export-button').click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save to file', exact: true }).click(),
  ])
  const { elements } = JSON.parse(readFileSync(await download.path(), 'utf8')) as { elements: Element[] }
  return elements.map(withoutDefaults)
}

/** When Excalidraw reads an element, it writes no bound elements as an empty list and forgets where the pen was. Neither is drawn. */
function withoutDefaults({ lastCommittedPoint: _, ...element }: Element): Element {
  return { ...element, boundElements: element.boundElements ?? [] } as Element
}

function differencesOf(name: string, seen: readonly Element[], late: readonly Element[]): string[] {
  const order = (elements: readonly Element[]) => elements.map(({ id }) => id)
  if (!isDeepStrictEqual(order(seen), order(late)))
    return [`${name} has ${seen.length} elements, a reload ${late.length}`]
  return seen.flatMap((element, i) => {
    const other = late[i] as Element
    const fields = Object.keys(other).filter((field) => !isDeepStrictEqual(element[field], other[field]))
    return fields.length === 0
      ? []
      : [
          `${name}, ${element.type} ${element.id}: ${fields.map((field) => `${field} ${JSON.stringify(element[field])}, on a reload ${JSON.stringify(other[field])}`).join('; ')}`,
        ]
  })
}

/** Waits until the board is published, and compares its items with the elements. */
async function differencesOfItems(
  drawn: readonly Element[],
  elsewhere: Omit<Elsewhere, 'looks_max'>,
): Promise<string[]> {
  const { server, key, board } = elsewhere
  const until = performance.now() + publish_ms_max
  const expected = drawn.map(placeOf).toSorted()
  let items: string[] = []
  while (performance.now() < until && !isDeepStrictEqual(items, expected)) {
    await sleep(500)
    items = (await itemsOf(server(), board, key)).toSorted()
  }
  const missing = expected.filter((each) => !items.includes(each))
  const others = items.filter((each) => !expected.includes(each))
  return [...missing.map((each) => `the API lacks ${each}`), ...others.map((each) => `the API has ${each}`)]
}

const boxes: ReadonlySet<unknown> = new Set(['rectangle', 'ellipse', 'diamond'])

/** An element as its item shows it: the place of a shape is its middle. Lines are compared by their ids. */
function placeOf({ id, type, x, y, width, height }: Element): string {
  if (!boxes.has(type)) return id
  const [left, top, right, down] = [x, y, width, height] as [number, number, number, number]
  return shown(id, left + right / 2, top + down / 2, right, down)
}

function shown(id: string, ...figures: readonly number[]): string {
  return `${id} ${figures.map((figure) => figure.toFixed(3)).join(' ')}`
}

interface Item {
  readonly source: { readonly element_id: string; readonly element_type: string }
  readonly position: { readonly x: number; readonly y: number }
  readonly geometry: { readonly width: number; readonly height: number }
}

/** All items of the API, as `placeOf` shows their elements. */
async function itemsOf(url: string, board: string, key: string): Promise<string[]> {
  const found: string[] = []
  for (let cursor = ''; ; ) {
    const { body } = await call(url, 'GET', `/v1/boards/${board}/items?limit=100${cursor}`, { key })
    for (const { source, position, geometry } of body.data as Item[]) {
      const { x, y } = position
      const { element_id, element_type } = source
      found.push(boxes.has(element_type) ? shown(element_id, x, y, geometry.width, geometry.height) : element_id)
    }
    if (!body.has_more) return found
    cursor = `&cursor=${body.next_cursor}`
  }
}
