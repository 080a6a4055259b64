/**
 * Whether the list of tasks keeps the page answering: `node console/test/scroll.ts [TASKS]` seeds that many (100,000 unless
 * said), goes through the list to its end by the mouse wheel, filters and sorts it, and prints the longest time that the
 * main thread was not free during each. The goal, 50 ms, is what browsers call a long task.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { seedProduct } from '../../bench/seed-product.ts'
import { readConfig } from '../../server/src/config.ts'
import { createLink } from '../../server/src/console/links/create-by-operator.ts'
import { startServer } from '../../server/src/main.ts'
import { openBrowser } from '../../server/test/browser.ts'
import { settled } from './checks.ts'
import { password } from './stage.ts'

const goal_ms = 50
const tasks_default = 100_000
/** A turn of a fast wheel. */
const wheel_px = 1200
/** The whole way is bounded, however slow the machine. */
const scroll_ms_max = 300_000

interface Figure {
  readonly step: string
  /** How often the main thread was not free for longer than the goal. */
  readonly over: number
}

/** Runs in the page before anything of its own. */
const watchLongTasks = `
  window.__long = []
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.__long.push(duration)
  }).observe({ type: 'longtask' })
`

async function measured(page: Page, step: string, job: () => Promise<unknown>): Promise<Figure> {
  await page.evaluate('window.__long.length = 0')
  const from = performance.now()
  await job()
  await settled(page)
  const long = (await page.evaluate('window.__long')) as number[]
  const took = performance.now() - from
  const [longest, over] = [Math.max(0, ...long), long.filter((ms) => ms > goal_ms).length]
  const times = `${Math.round(longest)} ms at most, ${over} over ${goal_ms} ms, in ${(took / 1000).toFixed(1)} s`
  console.log(`${step.padEnd(18)}${times}`)
  return { step, over }
}

/** Turns the wheel over the list until so many rows have been read, or its time is over. */
async function scrollTo(page: Page, rows: number): Promise<void> {
  await page.mouse.move(720, 500)
  const until = performance.now() + scroll_ms_max
  const loaded = () =>
    page.evaluate(() => Number.parseInt(document.querySelector('.tasks-foot')?.textContent ?? '0', 10))
  while ((await loaded()) < rows) {
    if (performance.now() > until) throw new Error(`${await loaded()} of ${rows} rows were read in time`)
    await page.mouse.wheel(0, wheel_px)
  }
}

async function filterBy(page: Page, filter: string, shown: string): Promise<void> {
  const field = page.getByRole('combobox', { name: 'Filter' })
  await field.click()
  await field.fill('')
  await page.keyboard.type(filter)
  await page.keyboard.press('Enter')
  await page.getByText(shown).first().waitFor()
}

async function walk(page: Page, url: string, tasks: number): Promise<Figure[]> {
  const list = page.getByRole('list', { name: 'Tasks' }).getByRole('listitem')
  const one = `Task number ${tasks - 7}`
  return [
    await measured(page, 'open', async () => {
      await page.goto(`${url}/work/tasks`)
      await list.first().waitFor()
    }),
    await measured(page, 'scroll 2,000', () => scrollTo(page, Math.min(tasks, 2000))),
    await measured(page, `scroll ${tasks}`, () => scrollTo(page, tasks)),
    await measured(page, 'back to the top', async () => {
      await page.evaluate(() => document.querySelector('.task-list')?.scrollTo({ top: 0 }))
      await list.getByText(`Task number ${tasks - 1}`, { exact: true }).waitFor()
    }),
    await measured(page, 'filter', () => filterBy(page, `title = "${one}"`, '1 task')),
    await measured(page, 'filter, none', () => filterBy(page, 'title = "nothing of all"', 'No task is like that')),
    await measured(page, 'sort', async () => {
      await page.goto(`${url}/work/tasks`)
      await list.first().waitFor()
      await page.getByLabel('Sort').selectOption('title')
      await list.getByText('Task number 0', { exact: true }).waitFor()
    }),
  ]
}

async function signIn(page: Page, link: string): Promise<void> {
  await page.goto(link)
  await page.getByLabel('New password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
}

const tasks = Number(process.argv[2] ?? tasks_default)
const folder = mkdtempSync(join(tmpdir(), 'atrium-scroll-'))
const environment = {
  ATRIUM_PORT: '0',
  ATRIUM_DATA_DIR: folder,
  ATRIUM_LOG_LEVEL: 'error',
  ATRIUM_CREDITS_PER_MINUTE: 'unlimited',
  ATRIUM_CREDITS_PER_DAY: 'unlimited',
  ATRIUM_CREDITS_PER_PLAN_DAY: 'unlimited',
}
const { frame } = await seedProduct(environment, { tasks })
const server = await startServer(readConfig(environment))
const browser = await openBrowser()
try {
  const { organization } = frame.caller
  const { url } = await createLink(server.services, { organization, email: 'owner@bench.example', role: 'owner' })
  const { page } = await browser.open(server.url)
  await page.addInitScript({ content: watchLongTasks })
  await signIn(page, url)
  const figures = await walk(page, server.url, tasks)
  if (figures.some(({ over }) => over > 0)) process.exitCode = 1
} finally {
  await browser.close()
  await server.close()
  rmSync(folder, { recursive: true, force: true })
}
