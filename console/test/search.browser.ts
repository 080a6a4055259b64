/** Search: from the palette, and as a page with all results. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { checkPage, checkQuiet } from './checks.ts'
import { stageOf } from './stage.ts'

describe('search', () => {
  const stage = stageOf()
  let key: string
  before(async () => {
    const { atrium } = stage
    const workspace = (await atrium.workspaces.create({ title: 'Theatre' })).id
    const project = (await atrium.projects.create({ workspace, name: 'Spring opening' })).id
    const description = 'Ask the printer for <b>heavy</b> paper before the rehearsal'
    const task = await atrium.tasks.create({ workspace, project, title: 'Print the posters', description })
    key = task.key
    await atrium.tasks.comments.create(task.id, { workspace, body: 'The printer closes early on Friday' })
    const data = Array.from({ length: 25 }, (_, i) => ({ title: `Rehearsal ${i + 1}` }))
    await atrium.tasks.batch({ workspace, data })
    await atrium.boards.create({ name: 'Stage plan' })
    // The index follows the log; each search waits for it for a moment, on a busy machine not for long enough.
    while ((await atrium.search.list({ query: 'stage plan' })).data.length === 0);
  })

  it('finds words while typing, with their place in the text, and opens what is chosen by keyboard', async () => {
    const watched = await stage.signedIn()
    const { page } = watched
    await page.keyboard.press('ControlOrMeta+k')
    const palette = page.getByRole('dialog', { name: 'Search or go to' })
    await palette.waitFor()
    await page.keyboard.type('print')
    const option = palette.getByRole('group', { name: 'Tasks' }).getByRole('option', { name: /Print the posters/ })
    await option.waitFor()
    assert.match((await option.textContent()) ?? '', new RegExp(`${key} · Spring opening`))
    assert.match((await option.textContent()) ?? '', /<b>heavy<\/b> paper/)
    assert.deepEqual(await option.locator('mark').allTextContents(), ['printer'])
    await palette.getByRole('group', { name: 'Comments' }).getByText('Friday').waitFor()
    await checkPage(watched, 'search-palette')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/work/tasks/${key}`)
    await checkQuiet(watched)
  })

  it('says when nothing is found and when the server cannot be reached', async () => {
    const { page } = await stage.signedIn()
    await page.keyboard.press('ControlOrMeta+k')
    const palette = page.getByRole('dialog', { name: 'Search or go to' })
    await palette.waitFor()
    await page.keyboard.type('xylophone')
    await palette.getByText('No results. Try other words, or paste an ID.').waitFor()
    await page.context().setOffline(true)
    await page.keyboard.type(' two')
    await palette.getByText('You are offline: only pages and commands are found.').waitFor()
    await page.context().setOffline(false)
  })

  it('shows all results on a page that can be linked, by kind and page by page', async () => {
    const watched = await stage.signedIn()
    const { page } = watched
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('dialog', { name: 'Search or go to' }).waitFor()
    await page.keyboard.type('rehearsal')
    await page.getByRole('option', { name: 'Show all results' }).click()
    await page.waitForURL('**/search?query=rehearsal')
    const results = page.getByRole('list', { name: 'Results' }).getByRole('listitem')
    await page.getByText('20 shown').waitFor()
    await page.getByRole('button', { name: 'Load more' }).click()
    await page.getByText('26 shown').waitFor()
    await checkPage(watched, 'search-page')
    await page.getByLabel('Search', { exact: true }).fill('print')
    await page.waitForURL('**/search?query=print')
    await page.waitForFunction(() => document.querySelectorAll('.search-results > li').length === 2)
    assert.deepEqual(await results.locator('mark').allTextContents(), ['printer', 'printer'])
    await page.getByRole('button', { name: 'Comments' }).click()
    await page.waitForURL('**/search?query=print&types=comment')
    await page.waitForFunction(() => document.querySelectorAll('.search-results > li').length === 1)
    await page.reload()
    await results.first().waitFor()
    assert.equal(await results.count(), 1, 'the address alone leads to the same results')
    await page.getByLabel('Search', { exact: true }).fill('-print')
    await page.getByText('Add a word to search for').waitFor()
  })
})
