/**
 * Measures how soon pages appear: `node console/test/paint.ts` opens the home page, the task list and a board of the demo
 * organization, each several times with an empty and with a filled browser cache, and prints the medians of the first paint, the
 * largest paint and the last response, in milliseconds from the navigation.
 */
import type { BrowserContext } from 'playwright-core'
import { settled } from './checks.ts'
import { openStage, type Stage } from './stage.ts'

const times = 7

interface Paint {
  readonly first: number
  readonly largest: number
  readonly answered: number
}

async function paintOf(context: BrowserContext, url: string): Promise<Paint> {
  const page = await context.newPage()
  await page.goto(url)
  await page.locator('h1').first().waitFor()
  await settled(page)
  const paint = await page.evaluate(async () => {
    const largest = await new Promise<number>((resolve) => {
      new PerformanceObserver((list) => resolve(list.getEntries().at(-1)?.startTime ?? 0)).observe({
        type: 'largest-contentful-paint',
        buffered: true,
      })
    })
    const ends = performance
      .getEntriesByType('resource')
      .filter(({ name }) => !name.includes('/events'))
      .map((entry) => (entry as PerformanceResourceTiming).responseEnd)
    const [first] = performance.getEntriesByName('first-contentful-paint')
    return { first: first?.startTime ?? Number.NaN, largest, answered: Math.max(...ends) }
  })
  await page.close()
  return paint
}

async function measure(stage: Stage, path: string): Promise<void> {
  const { page } = await stage.signedIn()
  const storageState = await page.context().storageState()
  const [fresh, cached]: [Paint[], Paint[]] = [[], []]
  for (let time = 0; time < times; time++) {
    const context = await stage.browser.browser.newContext({ storageState, viewport: { width: 1440, height: 900 } })
    fresh.push(await paintOf(context, `${stage.url}${path}`))
    cached.push(await paintOf(context, `${stage.url}${path}`))
    await context.close()
  }
  const median = (values: readonly number[]) => Math.round(values.toSorted((a, b) => a - b)[times >> 1] ?? Number.NaN)
  for (const [cache, paints] of [
    ['empty cache', fresh],
    ['cached', cached],
  ] as const) {
    const figures = (['first', 'largest', 'answered'] as const).map((name) => {
      const values = paints.map((paint) => paint[name])
      return `${name} ${median(values)} (${Math.round(Math.min(...values))} to ${Math.round(Math.max(...values))})`
    })
    console.log(`${path.padEnd(14)}${cache.padEnd(14)}${figures.join(', ')}`)
  }
}

const stage = await openStage({ demo: true })
try {
  const { data } = await stage.atrium.projects.list()
  for (const path of ['/', '/work/tasks', `/work/projects/${data[0]?.id}`]) await measure(stage, path)
} finally {
  await stage.close()
}
