/**
 * An organization in which every name is hostile: pages without an id, addresses, imports and the palette. No request leaves the
 * origin, the content policy is not violated and sends no report, and no name is taken for anything but text. What each page
 * shows is in `corpus.browser.ts`.
 */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { WatchedPage } from '../../server/test/browser.ts'
import { checkNoScriptRan, settled, withoutStatus } from './checks.ts'
import { hostile } from './drawings.ts'
import { type PageIds, populate } from './hostile.ts'
import { pagePaths } from './paths.ts'
import { stageOf } from './stage.ts'

describe('a walk through all pages', () => {
  const stage = stageOf()
  let ids: PageIds
  let watched: WatchedPage
  const reports: string[] = []
  before(async () => {
    ids = await populate(stage)
    watched = await stage.signedIn()
    watched.page.on('request', (request) => {
      if (request.url().includes('/csp-report')) reports.push(request.postData() ?? '')
    })
  })

  const go = async (path: string): Promise<WatchedPage> => {
    for (const list of [watched.foreign, watched.violations, watched.errors]) list.length = 0
    await watched.page.goto(`${stage.url}${path}`)
    // An open dialog hides the page behind it.
    await watched.page.locator('h1').first().waitFor({ state: 'attached' })
    await settled(watched.page)
    return watched
  }
  const checkHarmless = async ({ page, foreign, violations, errors }: WatchedPage, path: string) => {
    assert.deepEqual(
      { foreign, violations, reports, errors },
      { foreign: [], violations: [], reports: [], errors: [] },
      path,
    )
    await checkNoScriptRan(page)
    assert.equal(await page.locator('img[src="x"], svg[onload], script:not([src])').count(), 0, path)
  }

  for (const path of pagePaths()) {
    if (!/:\w+\?$/.test(path)) continue
    it(`shows ${path} without an id`, async () => {
      const plain = path.replace(/\/:\w+\?$/, '')
      await checkHarmless(await go(plain), plain)
    })
  }

  for (const path of [
    `/open/${encodeURIComponent(hostile)}`,
    `/work/tasks?filter=${encodeURIComponent(hostile)}`,
    `/work/tasks?task=${encodeURIComponent(hostile)}`,
    `/work/tasks?saved=${encodeURIComponent(hostile)}&sort=${encodeURIComponent(hostile)}`,
    `/work/tasks/${encodeURIComponent(hostile)}`,
    `/boards/${encodeURIComponent(hostile)}`,
    `/automations/runs/${encodeURIComponent(hostile)}?workspace=${encodeURIComponent(hostile)}`,
    `/search?query=${encodeURIComponent(hostile)}`,
    '/search?query=img',
    `/developers/events?type=${encodeURIComponent(hostile)}`,
    `/?mode=${encodeURIComponent(hostile)}`,
    `/settings/nothing#${encodeURIComponent(hostile)}`,
  ]) {
    it(`takes hostile text in ${path.slice(0, 24)}… as text`, async () => {
      await go(path)
      const errors = [400, 404].reduce<readonly string[]>(withoutStatus, watched.errors)
      await checkHarmless({ ...watched, errors: [...errors] }, path)
    })
  }

  it('shows hostile names of an imported file as text', async () => {
    await go('/work/import')
    const { page } = watched
    const cell = `"${hostile.replaceAll('"', '""')}"`
    const text = `Title,Status,Assignee,Labels,${cell}\n${Array(5).fill(cell).join()}\n${cell},done,${cell},${cell},x\n`
    const file = { name: hostile.replaceAll('/', ''), mimeType: 'text/csv', buffer: Buffer.from(text) }
    await page.getByLabel('File to import').setInputFiles(file)
    await page.getByRole('button', { name: 'Import 1 task' }).waitFor()
    await settled(page)
    await checkHarmless(watched, 'import')
  })

  it('shows hostile names as text in the palette, in toasts and in the history of a task', async () => {
    await go(`/work/tasks/${ids['/work/tasks/:id']}`)
    const { page } = watched
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByPlaceholder(/paste an ID/).fill('<img')
    await page
      .getByRole('option', { name: /<img src=x/ })
      .first()
      .waitFor()
    await checkHarmless(watched, 'palette')
    await page.keyboard.press('Escape')
    await page.getByRole('tab', { name: 'History' }).click()
    await settled(page)
    await checkHarmless(watched, 'history')
  })
})
