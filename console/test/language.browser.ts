/**
 * The language of the texts: a person's choice switches the page, and no page shows a text that bypasses the catalogue. The
 * proof is a language made here: each text of the catalogue in brackets, so what stands outside of them is data or a fault.
 */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { WatchedPage } from '../../server/test/browser.ts'
import { readCatalogue, readGerman } from '../texts.ts'
import { settled } from './checks.ts'
import { type PageIds, populate } from './hostile.ts'
import { pagePaths } from './paths.ts'
import { stageOf } from './stage.ts'

const bracketed = Object.fromEntries(readCatalogue().texts.map((text) => [text, `⟦${text.replace(/@@\w+$/, '')}⟧`]))

/** The drawing editor has its own languages, and the names of workers are the server's. */
const skipped = ['/boards/:id/draw', '/operator']

/** Names and texts of `populate`. */
const hostile_data = /onerror|onload|__xss|evil\.example|bank\.example/

const months =
  'Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Jan|Feb|Aug|Sept|Okt|Nov|Dez'
const weekdays = 'Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag|Mo|Di|Mi|Do|Fr|Sa|So'
const fields =
  'status|authority|resource|body|to|title|name|project|url|key|scope|task|type|user|options|description|assignee|scopes|graph|snapshot'

/** What `populate` has named, what programs read, and dates. */
const data = [
  // The fields of an audit entry.
  new RegExp(`^(?:[a-z_\\d]+, )*(?:[a-z]+_[a-z_]+|${fields})$`, 'g'),
  /\S+@acme\.example|https?:\/\/\S+|\b[a-z]+_[0-9A-Z]{26}\b|\batr_\S+|\b[A-Z]{2,}-\d+\b|\b(?:GET|POST)?\/[\w/.:]+/g,
  /\b(?:GET|POST|PATCH|PUT|DELETE)\b|\b[a-z]+(?:[._][a-z\d*]+)+(?:\.\*)?|\b[a-z]+\/[a-z.-]+\b/g,
  /\b\d+(?:[.,]\d+)? ?(?:ms|s|min|h|[KMGT]iB)\b/g,
  new RegExp(`(?<!\\p{L})(?:${months}|${weekdays})(?!\\p{L})`, 'gu'),
  /^text$|\b(?:Atrium|owner|First key|note|Say|maps\.example|SHA|UTC|ISXOWX|Acme|und)\b/g,
  // The languages to choose from, and a sentence of the server.
  /^(?:\p{Lu}\p{L}+isch|Deutsch)(?: \([^)]*\))?$|^Passkeys need a host name.*$/gu,
]

describe('the language of the console', () => {
  const stage = stageOf()
  let ids: PageIds
  let watched: WatchedPage
  let page: Page
  before(async () => {
    ids = await populate(stage)
    watched = await stage.visit('/settings/dates')
    page = watched.page
  })

  /** Within the loaded program, which is quicker than loading it for each page. */
  const go = async (path: string) => {
    await page.evaluate((to) => {
      document.querySelector('h1')?.setAttribute('data-before', '')
      history.pushState(null, '', to)
    }, path)
    await page.locator('h1:not([data-before])').first().waitFor({ state: 'attached' })
    await settled(page)
  }

  it('is English without a choice, and loads no catalogue', async () => {
    assert.equal(await page.locator('html').getAttribute('lang'), 'en')
    const loaded = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))
    assert.deepEqual(
      loaded.filter((name) => /\/assets\/de-/.test(name)),
      [],
    )
  })

  it('is German as soon as the person has saved it, on every page and after signing out', async () => {
    await page.getByLabel('Language').selectOption('de')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Sprache und Datum', exact: true }).waitFor()
    assert.equal(await page.locator('html').getAttribute('lang'), 'de')
    await page.getByText('Time zone').waitFor({ state: 'detached' })
    // The page was loaded again: the focus is back at the choice, and the message says that it was saved.
    await page.getByLabel('Sprache').and(page.locator(':focus')).waitFor()
    await page.locator('.toast').getByText('Sprache und Datum gespeichert').waitFor()
    assert.deepEqual(watched.errors, [])
  })

  describe('in brackets', () => {
    before(async () => {
      const body = `export default ${JSON.stringify(bracketed)}`
      await page.route(/\/assets\/de-[^/]*\.js$/, (route) => route.fulfill({ contentType: 'text/javascript', body }))
      await page.goto(stage.url)
      await page.locator('h1').first().waitFor({ state: 'attached' })
    })

    for (const path of pagePaths().filter((each) => !skipped.includes(each))) {
      it(`shows only data and texts of the catalogue on ${path}`, async () => {
        await go(opened(path, ids))
        assert.deepEqual(await textsOutside(page), [])
      })
    }
  })

  it('has a German text for each English one', () => {
    assert.deepEqual(Object.keys(readGerman()).toSorted(), readCatalogue().texts)
  })
})

/** The path with the id that it needs; an optional one is left out. */
function opened(path: string, ids: PageIds): string {
  const parameter = /\/:\w+\??(?=\/|$)/.exec(path)?.[0]
  if (parameter === undefined) return path
  return path.replace(parameter, parameter.endsWith('?') ? '' : `/${ids[path]}`) || '/'
}

/** What people see or hear on the page outside of the brackets, and is not data. */
async function textsOutside(page: Page): Promise<string[]> {
  const shown = await page.evaluate(() => {
    // Texts that people have written.
    for (const written of document.querySelectorAll<HTMLElement>('.markdown, code, pre')) written.style.display = 'none'
    const names = ['aria-label', 'title', 'placeholder', 'alt']
    const elements = [...document.querySelectorAll(names.map((name) => `[${name}]`).join())]
    const visible = elements.filter((element) => element.checkVisibility())
    const texts = visible.flatMap((element) => names.map((name) => element.getAttribute(name) ?? ''))
    return [document.title, document.body.innerText, ...texts]
  })
  const found = shown
    .flatMap((text) => withoutBrackets(text).split(/[\n\t]/))
    .filter((text) => !hostile_data.test(text))
  return [...new Set(found.map(withoutData).filter((text) => /\p{L}{2}/u.test(text)))]
}

function withoutBrackets(text: string): string {
  const shorter = text.replaceAll(/⟦[^⟦⟧]*⟧/g, '')
  return shorter === text ? text : withoutBrackets(shorter)
}

function withoutData(text: string): string {
  return data.reduce((rest, pattern) => rest.replaceAll(pattern, ''), text).trim()
}
