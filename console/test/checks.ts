/**
 * What holds for every page of the console: nothing leaves the origin, the policy is kept, the console stays silent, nothing
 * moves by itself, and axe finds nothing, in light and dark, from a phone to a large screen. With
 * ATRIUM_TEST_PICTURES=on a picture of each is left under .cache/console for people to look at, and axe looks at all of them;
 * without it at one of each theme, which saves much.
 */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { WatchedPage } from '../../server/test/browser.ts'

const pictures = join(import.meta.dirname, '../../.cache/console')
const takes_pictures = process.env.ATRIUM_TEST_PICTURES === 'on'
const axe_source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const widths = [
  [360, 780],
  [1440, 900],
  [3840, 2160],
] as const
const themes = ['light', 'dark'] as const

/** Runs in the page before anything of its own: counts what moves without anybody having done something. */
export const watchShifts = `
  window.__shifts = []
  const placeOf = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(' ')
  const told = ({ node, previousRect, currentRect }) =>
    (node?.className || node?.textContent?.slice(0, 40) || node?.nodeName) + ' ' + placeOf(previousRect) + ' to ' + placeOf(currentRect)
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput || window.__resizing) continue
      window.__shifts.push(value.toFixed(4) + ': ' + sources.map(told).join(', '))
    }
  }).observe({ type: 'layout-shift', buffered: true })
`

interface AxeResult {
  readonly violations: readonly {
    readonly id: string
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
  }[]
}

/** Waits until everything that was asked for has come and been drawn. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"], .skeleton') === null)
  await page.evaluate(async () => {
    await document.fonts.ready
    await Promise.all(
      document
        .getAnimations()
        .filter(isShort)
        .map((animation) => animation.finished.catch(() => {})),
    )
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))

    function isShort(animation: Animation) {
      return animation.effect?.getComputedTiming().iterations === 1
    }
  })
}

/** Without what the browser itself logs of answers with this status, where one was to be expected. */
export function withoutStatus(errors: readonly string[], status: number): string[] {
  return errors.filter((error) => !error.includes(`status of ${status}`))
}

/** What somebody did may move things: what has moved so far counts no more. */
export async function forgetShifts(page: Page): Promise<void> {
  await settled(page)
  await page.evaluate(() => {
    ;(window as unknown as { __shifts: string[] }).__shifts.length = 0
  })
}

/** Nothing was asked for elsewhere, nothing was refused by the policy, nothing was logged as an error, nothing moved. */
export async function checkQuiet({ page, foreign, violations, errors }: WatchedPage): Promise<void> {
  assert.deepEqual(foreign, [], 'requests left the origin')
  assert.deepEqual(violations, [], 'the policy refused something')
  assert.deepEqual(errors, [], 'the console has errors')
  const shifts = await page.evaluate(() => (window as unknown as { __shifts: string[] }).__shifts)
  assert.deepEqual(shifts, [], 'something moved by itself')
}

/** Rules of WCAG 2.2 A and AA and of good practice, on the page as it stands. */
export async function checkAxe(page: Page, name: string): Promise<void> {
  await page.evaluate(axe_source)
  const { violations } = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(root: Document, options: object): Promise<AxeResult> } }
    const values = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    return await axe.run(document, { runOnly: { type: 'tag', values }, resultTypes: ['violations'] })
  })
  const told = violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html}\n  ${node.failureSummary}`),
  )
  assert.deepEqual(told, [], `axe on ${name}`)
}

/** Nothing but what scrolls by design is wider than the page. */
async function checkWidth(page: Page, name: string): Promise<void> {
  const wide = await page.evaluate(() =>
    [document.documentElement, document.querySelector('main')]
      .filter((element) => element !== null && element.scrollWidth > element.clientWidth + 1)
      .map((element) => `${element?.nodeName} ${element?.scrollWidth} > ${element?.clientWidth}`),
  )
  assert.deepEqual(wide, [], `${name} scrolls sideways`)
}

/** Axe takes long, and what it finds in one theme at one width it mostly finds in the others: with pictures all are tried. */
function isLookedAt(width: number, theme: (typeof themes)[number]): boolean {
  return takes_pictures || (theme === 'light' ? width === 1440 : width === 360)
}

/** Everything above on the page as it stands, at three widths in light and dark, with a picture of each. */
export async function checkPage(watched: WatchedPage, name: string): Promise<void> {
  const { page } = watched
  await settled(page)
  await checkQuiet(watched)
  const before = page.viewportSize()
  await page.evaluate(() => {
    ;(window as unknown as { __resizing: boolean }).__resizing = true
  })
  mkdirSync(pictures, { recursive: true })
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    for (const [width, height] of widths) {
      await page.setViewportSize({ width, height })
      await settled(page)
      if (takes_pictures) await page.screenshot({ path: join(pictures, `${name}-${width}-${theme}.png`) })
      await checkWidth(page, `${name} at ${width}`)
      if (isLookedAt(width, theme)) await checkAxe(page, `${name} at ${width} in ${theme}`)
    }
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null })
  if (before !== null) await page.setViewportSize(before)
  await page.evaluate(() => {
    ;(window as unknown as { __resizing: boolean }).__resizing = false
  })
}
