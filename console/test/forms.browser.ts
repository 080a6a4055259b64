/** A form in real browsers: built from a recipe, filled in on a phone without an account, its answers shown with the run. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { drainRuns } from '../../server/src/workers/automations/runs.ts'
import { checkAxe, checkPage, forgetShifts, settled, withoutStatus } from './checks.ts'
import { stageOf } from './stage.ts'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true } as const

describe('a form', () => {
  const stage = stageOf()
  let workspace: string
  before(async () => {
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
    await stage.atrium.tasks.create({ workspace, title: 'Doors stay open' })
  })

  it('is built from a recipe, sent by a stranger on a phone, and read with the run and its task', async () => {
    const own = await stage.visit('/automations/new')
    await own.page.getByRole('button', { name: /^Intake by form/ }).click()
    const questions = own.page.getByRole('dialog', { name: 'Intake by form' })
    await questions.getByRole('button', { name: /^Assign to/ }).click()
    await own.page.getByRole('listbox').getByRole('option').first().click()
    await own.page.getByRole('button', { name: 'Install and preview' }).click()
    const preview = own.page.getByRole('dialog', { name: /^Preview Intake by form/ })
    await preview.getByLabel('What is it about?').fill('A sample')
    await preview.getByLabel('Your e-mail address').fill('ada@example.com')
    await preview.getByRole('button', { name: 'Task' }).click()
    await own.page.getByRole('option', { name: /Doors stay open/ }).click()
    await checkPage(own, 'form-preview')
    await preview.getByRole('button', { name: 'Preview', exact: true }).click()
    const result = own.page.getByRole('dialog', { name: /^What Intake by form would do/ })
    await result.getByText('A sample').first().waitFor()
    await result.getByRole('checkbox').check()
    await result.getByRole('button', { name: 'Activate' }).click()
    const address = own.page.getByRole('button', { name: /^Copy http/ })
    await address.waitFor()
    await own.page.getByRole('link', { name: 'Open form' }).waitFor()
    // What the activation adds moves what is below it.
    await forgetShifts(own.page)
    await checkPage(own, 'form-address')
    assert.deepEqual((await stage.atrium.automationRuns.list({ workspace })).data, [])

    const url = ((await address.getAttribute('title')) ?? assert.fail('no address')).replace(
      stage.server.url,
      stage.url,
    )
    const stranger = await stage.open({ ...phone, javaScriptEnabled: false })
    await stranger.page.goto(url)
    await stranger.page.getByRole('heading', { name: 'Send us a request' }).waitFor()
    await stranger.page.getByLabel('Your e-mail address (required)').fill('grace')
    stage.later(5)
    await stranger.page.getByRole('button', { name: 'Send' }).click()
    await stranger.page.getByText('Please enter an e-mail address, such as name@example.com.').waitFor()
    await stranger.page.getByText('Please fill this in.').waitFor()
    await stranger.page.getByLabel('What is it about? (required)').fill('The crane is stuck')
    await stranger.page.getByLabel('Details').fill('Since Monday.\nIt squeaks.')
    await stranger.page.getByLabel('Needed by').fill('2027-03-01')
    await stranger.page.getByLabel('Your e-mail address (required)').fill('grace@example.com')
    await stranger.page.getByRole('button', { name: 'Send' }).click()
    await stranger.page.getByText('Thank you. We have your request.').waitFor()
    await stranger.page.reload()
    await stranger.page.getByText('Thank you. We have your request.').waitFor()

    await drainRuns(stage.server.services)
    const { data: runs } = await stage.atrium.automationRuns.list({ workspace })
    assert.deepEqual(
      runs.map(({ status }) => status),
      ['succeeded'],
    )
    const { page } = await stage.visit(`/automations/runs/${runs[0]?.id}?workspace=${workspace}`)
    const received = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Received' }) })
    for (const text of ['The crane is stuck', /It squeaks\./, '2027-03-01', 'grace@example.com']) {
      await received.getByText(text).waitFor()
    }
    await checkPage(own, 'form-run')
    const { data: all } = await stage.atrium.tasks.list({ workspace })
    const tasks = all.filter(({ labels }) => labels.includes('intake'))
    assert.deepEqual(
      tasks.map(({ title, due_at, description }) => [title, due_at, description]),
      [['The crane is stuck', Date.UTC(2027, 2, 1) / 1000, 'Since Monday.\nIt squeaks.\n\ngrace@example.com']],
    )
  })

  it('has pages without findings of axe in light and dark, no wider than a phone, that load nothing', async () => {
    const [flow] = (await stage.atrium.automationFlows.list({ workspace })).data
    const { url } = await stage.atrium.automationFlows.form(flow?.id ?? assert.fail('no flow'))
    const watched = await stage.open(phone)
    const { page } = watched
    const look = async (name: string) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await settled(page)
        const width = await page.evaluate(() => document.documentElement.scrollWidth)
        assert.ok(width <= phone.viewport.width, `${name} is ${width} px wide`)
        await checkAxe(page, `${name} in ${colorScheme}`)
      }
    }
    const here = url.replace(stage.server.url, stage.url)
    await page.goto(here)
    await look('the form')
    stage.later(5)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Please fill this in.').first().waitFor()
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'answer_title')
    await look('the form with faults')
    await page.goto(`${here}?sent`)
    await look('the thanks')
    await page.goto(`${here}x`)
    await look('the page of an unknown address')
    assert.deepEqual([watched.foreign, watched.violations], [[], []])
    assert.deepEqual(withoutStatus(withoutStatus(watched.errors, 404), 422), [])
  })

  it('is written on its card: fields are added, filled in and removed, and steps insert their answers', async () => {
    const watched = await stage.visit('/automations/new')
    const { page } = watched
    await page.getByRole('button', { name: /^Intake by form/ }).click()
    const questions = page.getByRole('dialog', { name: 'Intake by form' })
    await questions.getByRole('button', { name: /^Assign to/ }).click()
    await page.getByRole('listbox').getByRole('option').first().click()
    await page.getByRole('button', { name: 'Install and preview' }).click()
    await page.getByRole('dialog', { name: /^Preview Intake by form/ }).waitFor()
    await page.goto(page.url().replace('?preview=1', '/sentence'))
    const card = page.getByRole('region', { name: /^When/ })
    await card.getByRole('button', { name: 'Add field' }).click()
    const added = card.getByRole('group', { name: 'Field 5' })
    await added.getByLabel('Label').fill('Which pier?')
    await added.getByLabel('Kind').selectOption({ label: 'Selection' })
    await added.getByLabel('Options').fill('North\nSouth')
    await added.getByLabel('Name in formulas').fill('pier')
    await added.getByRole('checkbox', { name: 'Required' }).check()
    await card.getByRole('button', { name: 'Add field' }).click()
    await card.getByRole('button', { name: 'Remove field 6' }).click()
    await card.getByRole('button', { name: 'Move field 5 up' }).click()
    await checkPage(watched, 'form-sentence')
    const saved = page.waitForResponse((response) => response.request().method() === 'PATCH' && response.ok())
    await page.getByRole('button', { name: 'Save' }).click()
    await saved
    const id = /flow_[0-9A-Z]{26}/.exec(page.url())?.[0] ?? assert.fail(page.url())
    const { graph } = await stage.atrium.automationFlows.retrieve(id)
    const [trigger] = graph.nodes
    const { fields } = (trigger ?? assert.fail('no trigger')).config as { fields: { key: string }[] }
    assert.deepEqual(
      fields.map(({ key }) => key),
      ['title', 'details', 'needed', 'pier', 'email'],
    )
    assert.deepEqual(fields[3], {
      ...{ key: 'pier', label: 'Which pier?', kind: 'select', options: ['North', 'South'], required: true },
    })
  })
})
