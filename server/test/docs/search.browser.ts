/** The search of the documents, as a reader uses it: with and without JavaScript, on the server and from a folder. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { buildDocs, built_docs, copySite } from '../../../build/docs/site.ts'
import { type OpenBrowser, openBrowser } from '../browser.ts'
import { openWorld, type World } from '../world.ts'

describe('the search of the documents', () => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-docs-'))
  let world: World
  let browser: OpenBrowser
  before(async () => {
    await buildDocs(built_docs)
    copySite(built_docs, folder)
    world = await openWorld('sqlite')
    browser = await openBrowser()
  })
  after(async () => {
    await browser.close()
    await world.close()
    rmSync(folder, { recursive: true })
  })

  it('finds sections by words, also misspelt ones, and leads to them', async () => {
    const { page, errors, violations, foreign } = await browser.open(world.server.url)
    await page.goto(`${world.server.url}/docs/guides/first-call.html`)
    await page.getByRole('searchbox', { name: 'Search the documents' }).fill('quiet hours')
    await page.keyboard.press('Enter')
    const results = page.locator('#results > li')
    await results.filter({ hasText: 'quiet hours' }).first().waitFor()
    assert.match(await page.getByRole('status').innerText(), /^\d+ results?/)
    await page.getByRole('searchbox').fill('idempotncy key')
    const first = results.first()
    await first.filter({ hasText: /idempotency/i }).waitFor()
    assert.match(page.url(), /search\.html\?q=idempotncy\+key$/)
    await first.getByRole('link').click()
    await page.waitForURL(/\/docs\/(?!search)/)
    await page.goBack()
    await page.getByRole('searchbox').fill('<b>zzz</b> qqqq')
    await page.getByText('Nothing was found. Try fewer words.').waitFor()
    assert.deepEqual([errors, violations, foreign], [[], [], []])
    await page.context().close()
  })

  it('works in pages that are opened as files', async () => {
    const { page, errors } = await browser.open('null')
    await page.goto(`${pathToFileURL(join(folder, 'search.html')).href}?q=webhook`)
    await page.locator('#results > li').first().waitFor()
    assert.deepEqual(errors, [])
    await page.context().close()
  })

  it('says without JavaScript where all pages are', async () => {
    const { page } = await browser.open(world.server.url, { javaScriptEnabled: false })
    await page.goto(`${world.server.url}/docs/search.html?q=webhook`)
    await page.getByText('The search needs JavaScript').waitFor()
    await page.getByRole('link', { name: 'All pages' }).last().click()
    assert.match(page.url(), /#documents$/)
    await page.context().close()
  })
})
