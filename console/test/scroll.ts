/**
 * Measures whether the layouts of tasks keep the page responsive: `node console/test/scroll.ts [TASKS [board|list|layouts]]`
 * seeds TASKS tasks of one project (100,000 by default), due over a year. It opens the board, scrolls a column and drags a card;
 * it turns the wheel over the list, drags it to its end and back, types filters and sorts it; it opens and scrolls the grouped
 * list, the board by assignee, the calendar and the timeline. For each step it prints
 * the longest task of the main thread (the goal is at most 50 ms, beyond which browsers call a task long) and the share of the
 * page's own scripts in it, the rest being layout and painting. At the end it prints the memory that the page holds.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { type Frame, ordinaryTask, seedProduct } from '../../bench/seed-product.ts'
import { readConfig } from '../../server/src/config.ts'
import { createOperatorLink } from '../../server/src/console/links/create-operator-link.ts'
import { startServer } from '../../server/src/main.ts'
import { openBrowser } from '../../server/test/browser.ts'
import { test_environment } from '../../server/test/environment.ts'
import { settled } from './checks.ts'
import { password } from './stage.ts'

const goal_ms = 50
const tasks_default = 100_000
/** A turn of a fast wheel. */
const wheel_px = 1200
/** Frames in which the list is dragged from one end to the other. */
const drag_frames = 120
/** Turns of the wheel over a column of the board. */
const board_turns = 40
/** Noon of the first day on which tasks are due, in Unix seconds, and how many such days there are. */
const first_due = 1_790_078_400
const days_due = 365
/** For slow machines. */
const step_ms_max = 120_000

interface Figure {
  readonly step: string
  /** How many tasks took the main thread longer than the goal. */
  readonly over: number
}

/** An event of Chromium's trace. Times are in microseconds; `tdur` is CPU time. */
interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  readonly dur?: number
  readonly tdur?: number
  readonly args: { readonly name?: string }
}

const traced = ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline', 'v8']
/** Trace events of the page's own scripts. */
const programs = ['FunctionCall', 'EvaluateScript', 'v8.run', 'RunMicrotasks', 'FireAnimationFrame', 'TimerFire']

/** The tasks of the page's main thread, each with its CPU time and that of the page's own scripts. */
function tasksIn(trace: readonly TraceEvent[]) {
  const isMain = ({ name, args }: TraceEvent) => name === 'thread_name' && args.name === 'CrRendererMain'
  const threads = new Set(trace.filter(isMain).map(({ pid, tid }) => `${pid} ${tid}`))
  const events = trace
    .filter(({ ph, pid, tid }) => ph === 'X' && threads.has(`${pid} ${tid}`))
    .sort((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0))
  const tasks: { ms: number; program_ms: number }[] = []
  let [task_end, program_end] = [0, 0]
  for (const { name, ts, dur = 0, tdur = 0 } of events) {
    const task = tasks.at(-1)
    if (name.endsWith('RunTask') && ts >= task_end) {
      tasks.push({ ms: tdur / 1000, program_ms: 0 })
      task_end = ts + dur
    } else if (programs.includes(name) && ts >= program_end && ts < task_end && task !== undefined) {
      task.program_ms += tdur / 1000
      program_end = ts + dur
    }
  }
  return tasks
}

async function measured(page: Page, step: string, job: () => Promise<unknown>): Promise<Figure> {
  const browser = page.context().browser()
  await browser?.startTracing(page, { categories: traced })
  const from = performance.now()
  await job()
  await settled(page)
  const took = performance.now() - from
  const trace = JSON.parse(String(await browser?.stopTracing())) as { traceEvents: TraceEvent[] }
  const tasks = tasksIn(trace.traceEvents).sort((a, b) => b.ms - a.ms)
  const over = tasks.filter(({ ms }) => ms > goal_ms).length
  const program = Math.max(0, ...tasks.map(({ program_ms }) => program_ms))
  const format = (ms = 0) => `${Math.round(ms)} ms`.padStart(6)
  console.log(
    `${step.padEnd(22)}${format(tasks[0]?.ms)} at most, ${format(program)} of scripts, ${over} over ${goal_ms} ms, in ${(took / 1000).toFixed(1)} s`,
  )
  return { step, over }
}

const listOf = (page: Page) => page.getByRole('list', { name: 'Tasks' }).getByRole('listitem')

/** Turns the wheel over the list. */
async function wheel(page: Page, turns: number): Promise<void> {
  await page.mouse.move(720, 500)
  for (let turn = 0; turn < turns; turn++) await page.mouse.wheel(0, wheel_px)
}

/** Drags the list to a share of its height over several frames, and waits for the task there. */
async function dragTo(page: Page, share: number, title: string): Promise<void> {
  await page.evaluate(
    async ({ share, drag_frames }) => {
      const list = document.querySelector('.task-list') as HTMLElement
      const [from, to] = [list.scrollTop, (list.scrollHeight - list.clientHeight) * share]
      for (let frame = 1; frame <= drag_frames; frame++) {
        list.scrollTop = from + ((to - from) * frame) / drag_frames
        await new Promise(requestAnimationFrame)
      }
    },
    { share, drag_frames },
  )
  await listOf(page).getByText(title, { exact: true }).waitFor()
}

async function typeFilter(page: Page, filter: string): Promise<void> {
  const field = page.getByRole('combobox', { name: 'Filter' })
  if (!(await field.isVisible())) await page.getByRole('button', { name: 'Advanced' }).click()
  await field.click()
  await field.fill('')
  await page.keyboard.type(filter)
}

async function filterBy(page: Page, filter: string, shown: string): Promise<void> {
  await typeFilter(page, filter)
  await page.keyboard.press('Enter')
  await page.getByText(shown).first().waitFor()
}

/** The number that sorts last as text. */
function lastOf(tasks: number): string {
  return Array.from({ length: tasks }, (_, at) => String(at)).reduce((last, text) => (text > last ? text : last))
}

const named = (at: number | string) => `Task number ${at}`

async function walk(page: Page, url: string, tasks: number): Promise<Figure[]> {
  return [
    await measured(page, 'open', async () => {
      await page.goto(`${url}/work/tasks`)
      await listOf(page).first().waitFor()
    }),
    await measured(page, 'wheel, 1,500 tasks', () => wheel(page, 50)),
    await measured(page, 'drag to the end', () => dragTo(page, 1, named(0))),
    await measured(page, 'drag to the middle', () => dragTo(page, 0.5, named(tasks / 2))),
    await measured(page, 'wheel in the middle', () => wheel(page, 50)),
    await measured(page, 'drag to the top', () => dragTo(page, 0, named(tasks - 1))),
    await measured(page, 'type a filter', () =>
      typeFilter(page, 'status = todo AND priority >= high AND labels:backend'),
    ),
    await measured(page, 'filter', () => filterBy(page, `title = "${named(tasks - 7)}"`, '1 task')),
    await measured(page, 'filter, half of them', () => filterBy(page, 'priority >= medium', 'tasks')),
    await measured(page, 'filter, none', () => filterBy(page, 'title = "nothing of all"', 'No tasks match')),
  ]
}

/** Needs a loaded page: one that is traced while it reloads can stay without frames for half a minute. */
async function walkSorted(page: Page, tasks: number): Promise<Figure[]> {
  await listOf(page).first().waitFor()
  await settled(page)
  return [
    await measured(page, 'sort', async () => {
      await page.getByLabel('Sort').selectOption('title')
      await listOf(page).getByText(named(0), { exact: true }).waitFor()
    }),
    await measured(page, 'sorted, to the end', () => dragTo(page, 1, named(lastOf(tasks)))),
  ]
}

/** All tasks are in the first project, so that its board has all of them. */
function taskOfOneProject(frame: Frame, i: number) {
  const [project] = frame.projects
  const column = project?.columns[i % project.columns.length] as string
  const due_at = first_due + (i % days_due) * 86_400
  return { ...ordinaryTask(frame, i), project: project?.id as string, column, due_at, start_at: due_at - 3 * 86_400 }
}

/** What a task is in each layout. */
const cards = '.kanban-card, .task-row, .by-card, [data-day] a, .gantt-row'

/** Notes when the first card is drawn, in milliseconds since the navigation began. From outside, the page is busy while it draws. */
const noteFirstCard = `new MutationObserver((_, observer) => {
  if (document.querySelector('${cards}') === null) return
  observer.disconnect()
  requestAnimationFrame(() => setTimeout(() => { globalThis.firstCard = performance.now() }))
}).observe(document, { childList: true, subtree: true })`

/** Opens a page whose program the browser has, and prints when its first task is drawn. */
async function sayFirstCard(page: Page, url: string, name: string): Promise<void> {
  // The second time the browser has the program.
  for (let visit = 1; visit <= 2; visit++) {
    await page.goto(url)
    await page.locator(cards).first().waitFor()
    await settled(page)
  }
  const count = await page.locator(cards).count()
  console.log(
    `${name.padEnd(22)}${Math.round(Number(await page.evaluate('firstCard')))} ms to the first task, ${count} in the page`,
  )
}

/** The other layouts, over all tasks. */
async function walkLayouts(page: Page, url: string): Promise<Figure[]> {
  const open = async (step: string, path: string, part: string) => {
    await sayFirstCard(page, `${url}${path}`, step)
    return await measured(page, step, async () => {
      await page.goto(`${url}${path}`, { waitUntil: 'commit' })
      await page.locator(part).first().waitFor()
    })
  }
  const day = new Date(first_due * 1000).toISOString().slice(0, 10)
  return [
    await open('grouped list', '/work/tasks?group=status', '.task-row'),
    await measured(page, 'grouped list, wheel', () => wheel(page, 50)),
    await open('board by assignee', '/work/board?group=assignee', '.by-card'),
    await measured(page, 'by assignee, wheel', () => wheel(page, 50)),
    await open('calendar', `/work/calendar?at=${day}`, '[data-day] a'),
    await measured(page, 'calendar, next month', async () => {
      await page.getByRole('button', { name: 'Next month' }).click()
      await page.locator('[data-day] a').first().waitFor()
    }),
    await open('timeline', '/work/timeline', '.gantt-row'),
    await measured(page, 'timeline, wheel', () => wheel(page, 50)),
  ]
}

/** The board: how soon its first card is there, how many cards the page holds, and whether it stays responsive. */
async function walkBoard(page: Page, url: string, { projects: [project] }: Frame): Promise<Figure[]> {
  await sayFirstCard(page, `${url}/work/projects/${project?.id}`, 'board')
  const figures = [
    await measured(page, 'board, scroll a column', async () => {
      await page.mouse.move(400, 500)
      for (let turn = 0; turn < board_turns; turn++) {
        await page.mouse.wheel(0, wheel_px / 2)
        await page.evaluate('new Promise(requestAnimationFrame)')
      }
    }),
    await measured(page, 'board, drag a card', async () => {
      await page.mouse.move(400, 400)
      await page.mouse.down()
      await page.mouse.move(700, 420, { steps: 30 })
      await page.mouse.up()
      await page.getByText('moved to').waitFor()
    }),
    await measured(page, 'board, a new task', async () => {
      await page.getByRole('button', { name: 'Add task to Column 1' }).click()
      await page.getByLabel('New task in Column 1').fill('Quite new')
      await page.keyboard.press('Enter')
      await page.getByRole('link', { name: 'Quite new' }).waitFor()
    }),
  ]
  console.log(`${await page.locator(cards).count()} cards in the page`)
  return figures
}

async function signIn(page: Page, link: string): Promise<void> {
  await page.goto(link)
  await page.getByLabel('New password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
}

const tasks = Number(process.argv[2] ?? tasks_default)
const part = process.argv[3]
const folder = mkdtempSync(join(tmpdir(), 'atrium-scroll-'))
const environment = {
  ...test_environment,
  ATRIUM_DATA_DIR: folder,
}
const { frame } = await seedProduct(environment, { tasks, task: taskOfOneProject })
const server = await startServer(readConfig(environment))
const browser = await openBrowser()
try {
  const { organization } = frame.caller
  const { url } = await createOperatorLink(server.services, {
    organization,
    email: 'owner@bench.example',
    role: 'owner',
  })
  const { page } = await browser.open(server.url)
  page.setDefaultTimeout(step_ms_max)
  await page.addInitScript({ content: noteFirstCard })
  await signIn(page, url)
  const figures: Figure[] = []
  const does = (name: string) => part === undefined || part === name
  if (does('board')) figures.push(...(await walkBoard(page, server.url, frame)))
  if (does('layouts')) figures.push(...(await walkLayouts(page, server.url)))
  if (does('list')) {
    figures.push(...(await walk(page, server.url, tasks)))
    const second = await page.context().newPage()
    await second.goto(`${server.url}/work/tasks`)
    figures.push(...(await walkSorted(second, tasks)))
  }
  const memory = 'performance.memory.usedJSHeapSize'
  console.log(`${Math.round(Number(await page.evaluate(memory)) / 2 ** 20)} MiB of memory`)
  if (figures.some(({ over }) => over > 0)) process.exitCode = 1
} finally {
  await browser.close()
  await server.close()
  rmSync(folder, { recursive: true, force: true })
}
