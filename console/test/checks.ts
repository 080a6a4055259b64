/**
 * Checks that every page of the console must pass: no request leaves the origin, the policy is not violated, the browser's
 * console has no errors, no layout shifts, and axe finds nothing, in light and dark, from a phone to a large screen.
 * ATRIUM_TEST_PICTURES=on leaves a screenshot of every view in .cache/console and runs axe in each.
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

/** Of a large screen only the width is checked, so the rows below 900 are drawn for pictures only. */
const sizes = [
  [1440, 900],
  [3840, takes_pictures ? 2160 : 900],
  [360, 780],
] as const
const themes = ['light', 'dark'] as const

/** The width at which axe runs, by theme. */
const axe_widths = { light: 1440, dark: 360 } as const

interface View {
  readonly theme: (typeof themes)[number]
  readonly width: number
  readonly height: number
  readonly axe: boolean
}

/**
 * The layout is the same in both themes, and axe finds at one width what it finds at the others, so three views are enough: the
 * computer and the large screen in light, the phone in dark.
 */
const views: readonly View[] = themes
  .flatMap((theme) => sizes.map(([width, height]) => ({ theme, width, height, axe: width === axe_widths[theme] })))
  .filter(({ theme, width }) => takes_pictures || (theme === 'dark') === (width === axe_widths.dark))

/**
 * Runs in the page before its own scripts. Records layout shifts that do not follow a user's input. Browsers exempt 500 ms after
 * an input; the same number of frames is exempt here, because a busy machine takes longer for each of them.
 */
export const watchShifts = `
  window.__shifts = []
  const exempt_frames = 30
  const inputs = []
  const countFrames = (input) => requestAnimationFrame(() => {
    if (--input.frames > 0) countFrames(input)
    else input.until = performance.now()
  })
  const noteInput = ({ timeStamp }) => {
    const latest = inputs.at(-1)
    if (latest !== undefined && latest.until === Infinity) return void (latest.frames = exempt_frames)
    inputs.push({ from: timeStamp, until: Infinity, frames: exempt_frames })
    countFrames(inputs.at(-1))
  }
  // An option that Playwright selects sends its change only.
  for (const type of ['pointerdown', 'keydown', 'change']) addEventListener(type, noteInput, { capture: true })
  const followsInput = (at) => inputs.some(({ from, until }) => from <= at && at <= until)
  const placeOf = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(' ')
  const hasMoved = ({ previousRect, currentRect }) => placeOf(previousRect) !== placeOf(currentRect)
  const describe = ({ node, previousRect, currentRect }) =>
    (node?.className || node?.textContent?.slice(0, 40) || node?.nodeName) + ' ' + placeOf(previousRect) + ' to ' + placeOf(currentRect)
  new PerformanceObserver((list) => {
    for (const { value, startTime, hadRecentInput, sources } of list.getEntries()) {
      // A relative time that ticks, like "1 min ago", shifts by a fraction of a pixel.
      if (hadRecentInput || followsInput(startTime) || window.__resizing || !sources.some(hasMoved)) continue
      window.__shifts.push(value.toFixed(4) + ': ' + sources.map(describe).join(', '))
    }
  }).observe({ type: 'layout-shift', buffered: true })
`

interface AxeResult {
  readonly violations: readonly {
    readonly id: string
    readonly nodes: readonly {
      readonly html: string
      readonly failureSummary: string
      readonly target: readonly string[]
    }[]
  }[]
}

/** Waits until all requested data has arrived and is drawn. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"], .skeleton') === null)
  await transitionsEnded(page)
}

/** Waits until fonts are there and no transition runs. */
async function transitionsEnded(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready
    // A change of the theme or size starts its transitions with the next frames only.
    do {
      await Promise.all(shortAnimations().map((animation) => animation.finished.catch(() => {})))
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    } while (shortAnimations().length > 0)

    function shortAnimations() {
      return document.getAnimations().filter(isShort)
    }

    function isShort(animation: Animation) {
      return animation.effect?.getComputedTiming().iterations === 1
    }
  })
}

/** The errors without those that the browser logs for expected responses with this status. */
export function withoutStatus(errors: readonly string[], status: number): string[] {
  return errors.filter((error) => !error.includes(`status of ${status}`))
}

/** Discards the shifts so far, after a step that may move things. */
export async function forgetShifts(page: Page): Promise<void> {
  await settled(page)
  await page.evaluate(() => {
    ;(window as unknown as { __shifts: string[] }).__shifts.length = 0
  })
}

/** Asserts that no request left the origin, the policy refused nothing, no error was logged and nothing shifted. */
export async function checkQuiet({ page, foreign, violations, errors }: WatchedPage): Promise<void> {
  assert.deepEqual(foreign, [], 'requests left the origin')
  assert.deepEqual(violations, [], 'the policy refused something')
  assert.deepEqual(errors, [], 'the console has errors')
  const shifts = await page.evaluate(() => (window as unknown as { __shifts: string[] }).__shifts)
  assert.deepEqual(shifts, [], 'the layout shifted')
}

/** Runs axe with the rules of WCAG 2.2 A and AA and its best practices, on all but the parts of a library that `except` selects. */
export async function checkAxe(page: Page, name: string, except: readonly string[] = []): Promise<void> {
  if (await page.evaluate(() => !('axe' in window))) await page.evaluate(axe_source)
  // In the middle of a transition colors are mixed.
  await transitionsEnded(page)
  const { violations } = await page.evaluate(async (exclude) => {
    const { axe } = window as unknown as { axe: { run(root: object, options: object): Promise<AxeResult> } }
    const values = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    const options = { runOnly: { type: 'tag', values }, resultTypes: ['violations'], preload: false }
    const { violations } = await axe.run(exclude.length === 0 ? document : { include: [document], exclude }, options)
    // Like a dialog, an open menu lies over the landmarks; axe exempts dialogs only.
    const holdsMenu = (target: string) => document.querySelector(target)?.querySelector('[role=menu]') != null
    const isOfMenu = (id: string, target: string) => id === 'region' && holdsMenu(target)
    return {
      violations: violations.map(({ id, nodes }) => ({
        id,
        nodes: nodes.filter(({ target }) => !isOfMenu(id, target[0] ?? '')),
      })),
    }
  }, except)
  const findings = violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html}\n  ${node.failureSummary}`),
  )
  assert.deepEqual(findings, [], `axe on ${name}`)
}

/** Asserts that no text of the page ran as a script. */
export async function checkNoScriptRan(page: Page): Promise<void> {
  assert.equal(await page.evaluate(() => '__xss' in window), false, `${page.url()} ran a text as a script`)
}

/** Asserts that the page does not scroll sideways; parts that scroll by design may. */
async function checkWidth(page: Page, name: string): Promise<void> {
  const wide = await page.evaluate(() =>
    [document.documentElement, document.querySelector('main')]
      .filter((element) => element !== null && element.scrollWidth > element.clientWidth + 1)
      .map((element) => `${element?.nodeName} ${element?.scrollWidth} > ${element?.clientWidth}`),
  )
  assert.deepEqual(wide, [], `${name} scrolls sideways`)
}

/** Logs grow while they are open, and a new row pushes the others down. */
const growing_pages = /\/developers(?:\/(?:requests|events|audit))?$/

/** Runs all checks on the page in its current state, in all views. */
export async function checkPage(watched: WatchedPage, name: string): Promise<void> {
  const { page } = watched
  if (growing_pages.test(page.url())) await forgetShifts(page)
  await settled(page)
  await checkQuiet(watched)
  const before = page.viewportSize()
  await page.evaluate(() => {
    ;(window as unknown as { __resizing: boolean }).__resizing = true
  })
  if (takes_pictures) mkdirSync(pictures, { recursive: true })
  for (const { theme, width, height, axe } of views) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width, height })
    await settled(page)
    if (takes_pictures) await page.screenshot({ path: join(pictures, `${name}-${width}-${theme}.png`) })
    await checkWidth(page, `${name} at ${width}`)
    if (axe || takes_pictures) await checkAxe(page, `${name} at ${width} in ${theme}`)
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null })
  if (before !== null) await page.setViewportSize(before)
  await page.evaluate(() => {
    ;(window as unknown as { __resizing: boolean }).__resizing = false
  })
}
