/**
 * The corpus of hostile texts in each field, read where people read it, in a browser under the policy of the server: nothing runs,
 * nothing is requested from another host, and each text is shown as it was written.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { WatchedPage } from '../../server/test/browser.ts'
import { MailServer } from '../../server/test/mail-server.ts'
import { overHttp } from '../../server/test/mcp.ts'
import { checkNoScriptRan, settled } from './checks.ts'
import { begun, shown } from './corpus/places.ts'
import { type Populated, populateCorpus } from './corpus/populate.ts'
import { markOf, valuesOf } from './corpus/samples.ts'
import { pagePaths } from './paths.ts'
import { openStage, owner_email, password, type Stage } from './stage.ts'

/** Paths with a query, beside those of the router. */
const more = ['/search?query=evil']

/** Visits of a page until it has shown everything. */
const rounds_max = 3
const load_ms_max = 30_000

describe('hostile texts', () => {
  let stage: Stage
  let smtp: MailServer
  let made: Populated
  let watched: WatchedPage
  const reports: string[] = []
  before(async () => {
    smtp = await MailServer.open()
    const mail = { ATRIUM_SMTP_URL: smtp.url, ATRIUM_MAIL_FROM: 'Atrium <atrium@acme.example>' }
    stage = await openStage({ environment: mail })
    made = await populateCorpus(stage)
    watched = await stage.visit('/')
    watchReports(watched.page)
  })
  after(async () => {
    await stage.close()
    await smtp.close()
  })

  const watchReports = (page: Page) =>
    page.on('request', (request) => {
      if (request.url().includes('/csp-report')) reports.push(request.postData() ?? '')
    })

  const checkHarmless = async ({ page, foreign, violations, errors }: WatchedPage, place: string) => {
    const found = { foreign, violations, errors, reports }
    assert.deepEqual(found, { foreign: [], violations: [], errors: [], reports: [] }, place)
    await checkNoScriptRan(page)
    const made =
      'img[src="x"], [onload], [onerror], [onfocus], script:not([src]), iframe, base, math, meta[content^="0;"]'
    assert.equal(await page.locator(made).count(), 0, `${place}: a text became an element`)
    assert.equal(await page.locator('a[href^="javascript:" i], a[href^="data:" i]').count(), 0, `${place}: a link`)
  }

  /** Within the loaded program, which is quicker than loading it for each page. */
  const go = async (path: string) => {
    const { page } = watched
    await page.evaluate(() => history.pushState(null, '', '/nothing'))
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await page.evaluate((to) => history.pushState(null, '', to), path)
    await page.locator('h1', { hasNotText: 'Page not found' }).first().waitFor({ state: 'attached' })
    await settled(page)
  }

  const visitsOf = (path: string) => made.paths[path] ?? [path.replace(/\/:\w+\?$/, '')]

  for (const path of [...pagePaths(), ...more]) {
    it(`are text on ${path}`, async () => {
      let missing = [...(shown[path] ?? []).flatMap(valuesOf), ...(begun[path] ?? []).map(markOf)]
      // What a page requests after it has settled is there at the second visit.
      for (let round = 0; round < rounds_max && (round === 0 || missing.length > 0); round++) {
        for (const visit of visitsOf(path)) {
          await go(visit)
          missing = await missingOn(watched.page, missing)
          await checkHarmless(watched, visit)
        }
      }
      assert.deepEqual(missing, [], `${path} does not show these texts as they were written`)
    })
  }

  it('are text in the name of the organization', async () => {
    // Setting up the page's session has ended the one before.
    await made.visitor.signIn(owner_email, password)
    for (const name of valuesOf('organization.name')) {
      await made.visitor.must('PATCH', 'organization', { name })
      await watched.page.goto(`${stage.url}/settings/organization`)
      await watched.page.locator('h1').first().waitFor()
      await settled(watched.page)
      await checkHarmless(watched, 'organization')
      assert.deepEqual(await missingOn(watched.page, [name]), [])
    }
  })

  it('are text in the word diff of a task’s history', async () => {
    await go(`${visitsOf('/work/tasks/:id')[0]}?part=history`)
    await watched.page.getByRole('button', { name: 'Show changes' }).first().click()
    await watched.page.getByRole('insertion').first().waitFor()
    await checkHarmless(watched, 'history')
    assert.deepEqual(await missingOn(watched.page, [markOf('tasks.description'), 'end of the text']), [])
  })

  it('are text in each setting of a flow in the editor', async () => {
    const { page } = watched
    for (const { path, shown: texts } of made.edited) {
      await go(path)
      for (const [step, expected] of Object.entries(texts)) {
        // By keyboard: the canvas moves to bring a selected step into view, and a click could meet another one.
        await page.locator(`.react-flow__node[data-id="${step}"]`).focus()
        await page.keyboard.press('Enter')
        await page.getByText(`Formulas refer to this step as steps.${step}.`).waitFor()
        await settled(page)
        assert.deepEqual(await missingAtLast(page, expected), [], `${path} ${step}`)
        await checkHarmless(watched, `${path} ${step}`)
      }
    }
  })

  it('are text in the list of the texts of a board', async () => {
    await go(visitsOf('/boards/:id')[0] ?? '')
    await watched.page.getByRole('button', { name: 'Texts' }).click()
    await watched.page.getByRole('list', { name: 'Texts of the drawing' }).waitFor()
    await settled(watched.page)
    await checkHarmless(watched, 'texts')
    const drawn = (['board_items.frame', 'board_items.label', 'board_items.link', 'board_items.text'] as const).flatMap(
      valuesOf,
    )
    assert.deepEqual(await missingOn(watched.page, drawn), [])
  })

  it('are text in the names of the frames that are presented', async () => {
    await go(visitsOf('/boards/:id/draw')[0] ?? '')
    const { page } = watched
    await page.getByRole('button', { name: 'Present frames' }).click()
    const bar = page.getByRole('group', { name: 'Presentation' })
    const names = valuesOf('board_items.frame')
    for (const [at, name] of names.entries()) {
      if (at > 0) await page.keyboard.press('ArrowRight')
      await bar.getByText(`${at + 1} of ${names.length}`).waitFor()
      await settled(page)
      await checkHarmless(watched, `frame ${at + 1}`)
      assert.ok(flat((await bar.textContent()) ?? '').includes(flat(name)), name)
    }
    await page.keyboard.press('Escape')
    await bar.waitFor({ state: 'detached' })
  })

  it('are text in the inbox’s entry of an automation that failed, and on the page of its run', async () => {
    await go('/inbox')
    const { page } = watched
    const failed = page.locator('.inbox-group').filter({ hasText: 'An automation that you activated has failed' })
    await failed.first().waitFor()
    await settled(page)
    await checkHarmless(watched, 'inbox')
    const [name = ''] = valuesOf('automation_flows.name')
    const open = failed.getByRole('button').first()
    assert.ok(flat((await open.textContent()) ?? '').includes(flat(name)))
    await open.click()
    await page.waitForURL(/\/automations\/runs\//)
    await settled(page)
    await checkHarmless(watched, 'run')
    const message = valuesOf('automation_flows.graph').join(' ').slice(0, 400)
    assert.deepEqual(await missingOn(page, [name, message]), [])
  })

  it('are text in a thread of a board, of which a guest wrote the comment', async () => {
    await go(visitsOf('/boards/:id/draw')[0] ?? '')
    const { page } = watched
    await page.locator('.live-thread').first().click()
    await page.getByRole('button', { name: 'All comments' }).waitFor()
    await settled(page)
    await checkHarmless(watched, 'thread')
    assert.deepEqual(await missingOn(page, [markOf('board_comments.body')]), [])
  })

  it('are text in the preview of an import', async () => {
    await go('/work/import')
    const cells = valuesOf('imports.cells')
    const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
    const rows = cells.map((cell) => Array(4).fill(quoted(cell)).join())
    const text = `Title,Status,Assignee,${quoted(cells[0] ?? '')}\n${rows.join('\n')}\n`
    const file = { name: 'file.csv', mimeType: 'text/csv', buffer: Buffer.from(text) }
    await watched.page.getByLabel('File to import').setInputFiles(file)
    await watched.page.getByRole('button', { name: /^Import \d+ tasks?$/ }).waitFor()
    await settled(watched.page)
    await checkHarmless(watched, 'import')
    assert.deepEqual(await missingOn(watched.page, cells), [])
  })

  it('are text on forms, for people without an account', async () => {
    const stranger = await stage.open()
    watchReports(stranger.page)
    const texts = (['form.title', 'form.introduction', 'form.label', 'form.hint', 'form.options'] as const).flatMap(
      valuesOf,
    )
    let missing = texts
    for (const url of made.forms) {
      await stranger.page.goto(url)
      missing = await missingOn(stranger.page, missing)
      await checkHarmless(stranger, url)
    }
    assert.deepEqual(missing, [])
    await stranger.page
      .locator('textarea')
      .first()
      .fill(valuesOf('form.answers')[0] ?? '')
    stage.later(5)
    await stranger.page.getByRole('button', { name: 'Send' }).click()
    await stranger.page.locator('form').waitFor({ state: 'detached' })
    await checkHarmless(stranger, 'form sent')
    await stranger.page.context().close()
  })

  it('are the text of mails, which have no HTML', async () => {
    const received = async () => {
      for (;;) {
        const mail = await smtp.next()
        if (mail.text.includes(markOf('tasks.title'))) return mail
      }
    }
    const { headers, text } = await received()
    assert.match(headers.get('content-type') ?? '', /^text\/plain/)
    const [title = ''] = valuesOf('tasks.title')
    assert.ok(flat(text).includes(flat(title)), text)
  })

  it('reach programs of MCP byte for byte', async () => {
    const agent = await overHttp(stage.server.url, stage.key)
    const { data } = await stage.atrium.tasks.list({ workspace: made.workspace, limit: 100 })
    const task = data.find(({ id }) => id === made.task)
    const read = await agent.do('tasks_retrieve', { id: made.task })
    assert.deepEqual([read.title, read.description], [task?.title, task?.description])
    await agent.close()
  })
})

const flat = (text: string) => text.replaceAll(/[\u2066-\u2069]/g, '').replaceAll(/\s+/g, ' ')

/** Those of the texts that nothing on the page shows: no element, no field, no name of an element. */
async function missingOn(page: Page, texts: readonly string[]): Promise<string[]> {
  const all = await page.evaluate(() => {
    const inputs = [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')]
    const named = [...document.querySelectorAll('[title], [aria-label]')]
    const names = named.flatMap((element) => [element.getAttribute('title'), element.getAttribute('aria-label')])
    return [document.body.textContent, ...inputs.map(({ value }) => value), ...names].join(' | ')
  })
  const seen = flat(all)
  return texts.filter((text) => !seen.includes(flat(text)))
}

/** Those that stay missing: editors of code load when they are needed. */
async function missingAtLast(page: Page, texts: readonly string[]): Promise<string[]> {
  const end = Date.now() + load_ms_max
  let missing = await missingOn(page, texts)
  while (missing.length > 0 && Date.now() < end) {
    await page.evaluate(() => new Promise(requestAnimationFrame))
    missing = await missingOn(page, missing)
  }
  return missing
}
