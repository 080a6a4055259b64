/**
 * Takes the pictures in `docs/pictures` again: `node console/test/pictures.ts` opens pages of the demo organization as its owner,
 * on a phone in dark, on a computer in light and on a large screen in light. Look at each before it is committed. The README
 * shows one of them.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pngQuantize, Transformer } from '@napi-rs/image'
import type { Page } from 'playwright-core'
import { settled } from './checks.ts'
import { openStage, type Stage } from './stage.ts'

const pictures = join(import.meta.dirname, '../../docs/pictures')
const folder = join(pictures, 'console')
const shown_in_readme = 'board-1440-light'
const webp_quality = 82
/** 256 colours show no difference, in a third of the bytes. */
const png_quality = { minQuality: 80, maxQuality: 99, speed: 1 }

const screens = [
  { name: '390-dark', width: 390, height: 844, theme: 'dark' },
  { name: '1440-light', width: 1440, height: 900, theme: 'light' },
  { name: '2560-light', width: 2560, height: 1440, theme: 'light' },
] as const

/** Pages by the name of their picture. */
async function pathsOf({ atrium }: Stage): Promise<Readonly<Record<string, string>>> {
  const projects = (await atrium.projects.list()).data
  const project = projects.find(({ name }) => name === 'Booking app')?.id
  const tasks = (await atrium.tasks.list({ limit: 100 })).data
  const task = tasks.find(({ title }) => title === 'Pay by card and by phone')?.key
  const board = (await atrium.boards.list()).data[0]?.id
  const [workspace = ''] = projects.map((each) => each.workspace)
  const flows = (await atrium.automationFlows.list({ workspace })).data
  const flow = flows.find(({ name }) => name === 'Remind a day before')?.id
  return {
    home: '/',
    inbox: '/inbox',
    'my-work': '/my-work',
    board: `/work/projects/${project}`,
    task: `/work/projects/${project}?task=${task}`,
    list: '/work/tasks?group=status',
    timeline: '/work/timeline',
    calendar: '/work/calendar',
    reports: '/work/reports',
    whiteboard: `/boards/${board}`,
    automation: `/automations/${flow}`,
    sentence: `/automations/${flow}/sentence`,
    import: '/work/import',
    developers: '/developers',
  }
}

async function take(page: Page, url: string, name: string): Promise<void> {
  await page.goto(url)
  await page.locator('h1').first().waitFor({ state: 'attached' })
  await settled(page)
  const png = await page.screenshot()
  writeFileSync(join(folder, `${name}.webp`), await new Transformer(png).webp(webp_quality))
  if (name === shown_in_readme) writeFileSync(join(pictures, 'board.png'), await pngQuantize(png, png_quality))
}

const stage = await openStage({ demo: true })
try {
  const paths = await pathsOf(stage)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const { name, width, height, theme } of screens) {
    const isPhone = width < 500
    const options = { viewport: { width, height }, colorScheme: theme, hasTouch: isPhone, isMobile: isPhone } as const
    const { page } = await stage.visit('/', { fresh: true, options })
    for (const [title, path] of Object.entries(paths)) await take(page, `${stage.url}${path}`, `${title}-${name}`)
    await page.context().close()
  }
} finally {
  await stage.close()
}
