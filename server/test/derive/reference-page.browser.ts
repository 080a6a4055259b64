/** The reference page in a real browser, without the internet. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { errorKinds } from '../../src/api/declare/errors.ts'
import { catalogue } from '../../src/catalogue.ts'
import { guides, manuals } from '../../src/derive/guides.ts'
import { tagOf } from '../../src/derive/openapi/tags.ts'
import { type OpenBrowser, openBrowser, type WatchedPage } from '../browser.ts'
import { openWorld, worldOf } from '../world.ts'
import { examples_file } from './record.ts'

/** The recorded call that the page shows. */
const recorded = JSON.parse(readFileSync(examples_file, 'utf8')).operations['tasks.create']

describe('the reference in a browser', () => {
  const world = worldOf('sqlite')
  let browser: OpenBrowser
  let watched: WatchedPage
  let page: Page
  before(async () => {
    browser = await openBrowser()
    watched = await browser.open(world.server.url)
    page = watched.page
    await page.goto(`${world.server.url}/docs`)
    await page.getByRole('heading', { name: 'Atrium', exact: true }).waitFor()
  })
  after(() => browser.close())

  /** The sidebar's entry with this text. */
  const entry = (text: string) => page.locator('aside').getByText(text, { exact: true }).first()

  it('lists every guide, every manual, every resource and every error code', async () => {
    const resources = new Set(catalogue.map(({ id }) => tagOf(id).name))
    const names = [...guides, ...manuals].map(({ name }) => name)
    for (const name of [...names, ...resources, ...Object.keys(errorKinds)]) {
      assert.equal(await entry(name).count(), 1, name)
    }
  })

  it('shows a selected guide in full, with its code', async () => {
    await entry('Webhooks').click()
    const section = page.locator('section', { has: page.getByRole('heading', { name: 'Webhooks', exact: true }) })
    await section.getByText('Rotating the secret', { exact: true }).waitFor()
    await page.waitForURL('**/docs#tag/webhooks')
    for (const name of ['TypeScript (Node)', 'Python', 'Go', 'Ruby', 'PHP']) {
      assert.equal(await section.getByRole('heading', { name, exact: true }).count(), 1, name)
    }
    assert.ok((await section.getByText('verifyStandardWebhook').count()) > 0)
  })

  it('follows a link from a guide to the section of an error', async () => {
    await entry('Lists and cursors').click()
    await page.locator('.markdown a[href="#tag/cursor-filter-mismatch"]').first().click()
    await page.waitForURL('**/docs#tag/cursor-filter-mismatch')
    await page.getByRole('heading', { name: 'cursor_filter_mismatch', exact: true }).waitFor()
  })

  it('finds operations and errors by name and guides by their text', async () => {
    for (const [words, found] of [
      ['complete a task', 'Complete a task'],
      ['constant time', 'Webhooks'],
      ['idempotency_key_reused', 'idempotency_key_reused'],
    ] as const) {
      await page.getByRole('button', { name: 'Open Search' }).first().click()
      await page.getByRole('searchbox').or(page.getByRole('combobox')).first().fill(words)
      await page.getByRole('option').filter({ hasText: found }).first().waitFor()
      await page.keyboard.press('Escape')
    }
  })

  it('shows an operation with its request as code and its response', async () => {
    await page.goto(`${world.server.url}/docs#tag/tasks/POST/v1/tasks`)
    await page.reload()
    const operation = page.locator('section', { has: page.getByRole('heading', { name: 'Create a task' }) }).last()
    await operation.getByText('Idempotency-Key').first().waitFor()
    const sample = operation
      .getByRole('region')
      .filter({ hasText: 'curl' })
      .or(operation.locator('pre', { hasText: 'curl' }))
    const code = await sample.first().innerText()
    assert.match(code, /curl[\s\S]*\/v1\/tasks[\s\S]*Idempotency-Key/)
    assert.doesNotMatch(code, /Prefer|If-/, 'an optional header would change what the copied request does')
    const { title } = recorded.response.body
    await operation.getByText(title).last().waitFor()
    assert.equal(await operation.getByText('"dry_run"').count(), 0)
  })

  it('requests no other origin, violates no rule of its policy, and logs no error', () => {
    const { foreign, violations, errors } = watched
    assert.deepEqual({ foreign, violations, errors }, { foreign: [], violations: [], errors: [] })
  })
})

/** Runs in the page: requests another origin in two ways, throws, and ends when both requests were refused. */
const misbehave = `(async () => {
  const { promise, resolve } = Promise.withResolvers()
  let count = 0
  document.addEventListener('securitypolicyviolation', () => ++count === 2 && resolve())
  const image = document.createElement('img')
  image.src = 'https://elsewhere.example/pixel.png'
  document.body.append(image)
  setTimeout(() => { throw new Error('uncaught') })
  await fetch('https://elsewhere.example/').catch(() => null)
  await promise
})()`

describe('a watched page', () => {
  it('records foreign requests, policy violations and errors', async () => {
    const world = await openWorld('sqlite')
    const browser = await openBrowser()
    try {
      const { page, foreign, violations, errors } = await browser.open(world.server.url)
      await page.goto(`${world.server.url}/docs`)
      await page.evaluate(misbehave)
      assert.deepEqual(violations.sort(), [
        'connect-src https://elsewhere.example/',
        'img-src https://elsewhere.example/pixel.png',
      ])
      assert.ok(errors.some((error) => error.includes('uncaught')))
      await page.goto('about:blank')
      await page.evaluate("fetch('http://127.0.0.1:9/').catch(() => null)")
      assert.deepEqual(
        foreign.filter((url) => !url.includes('elsewhere')),
        ['http://127.0.0.1:9/'],
      )
    } finally {
      await browser.close()
      await world.close()
    }
  })
})
