/** Mail to a flow in real browsers: built from a recipe and as a sentence, sent by a stranger, shown with the run and its task. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Receiver } from '../../server/src/mail/receiver.ts'
import { drainRuns } from '../../server/src/workers/automations/runs.ts'
import { receiveReplies } from '../../server/src/workers/replies/receive.ts'
import { sendMail } from '../../server/test/send-mail.ts'
import { checkPage, forgetShifts } from './checks.ts'
import { stageOf } from './stage.ts'

describe('mail to a flow', () => {
  const stage = stageOf({
    environment: {
      ATRIUM_SMTP_URL: 'smtp://127.0.0.1:9',
      ATRIUM_MAIL_FROM: 'Atrium <atrium@acme.example>',
      ATRIUM_INBOUND_MAIL: 'smtp://127.0.0.1:0?domain=in.acme.example',
    },
  })
  let receiver: Receiver
  let workspace: string
  before(async () => {
    receiver = await receiveReplies(stage.server.services, '127.0.0.1', 0)
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
    await stage.atrium.tasks.create({ workspace, title: 'Doors stay open' })
  })
  after(() => receiver.close())

  it('is set up from a recipe, sent by a stranger, and read with the run and its task', async () => {
    const own = await stage.visit('/automations/new')
    await own.page.getByRole('button', { name: /^Intake by mail/ }).click()
    const questions = own.page.getByRole('dialog', { name: 'Intake by mail' })
    await questions.getByRole('button', { name: /^Assign to/ }).click()
    await own.page.getByRole('listbox').getByRole('option').first().click()
    await own.page.getByRole('button', { name: 'Install and preview' }).click()
    const preview = own.page.getByRole('dialog', { name: /^Preview Intake by mail/ })
    await preview.getByLabel('Subject').fill('A sample')
    await preview.getByLabel('From').fill('ada')
    await preview.getByRole('button', { name: 'Task' }).click()
    await own.page.getByRole('option', { name: /Doors stay open/ }).click()
    await preview.getByRole('button', { name: 'Preview', exact: true }).click()
    await preview.getByText(/mail\.from/).waitFor()
    own.errors.length = 0
    await preview.getByLabel('From').fill('ada@example.com')
    await checkPage(own, 'mail-preview')
    await preview.getByRole('button', { name: 'Preview', exact: true }).click()
    const result = own.page.getByRole('dialog', { name: /^What Intake by mail would do/ })
    await result.getByText('A sample').first().waitFor()
    await result.getByRole('checkbox').check()
    await result.getByRole('button', { name: 'Activate' }).click()
    const address = own.page.getByRole('button', { name: /^Copy flow-/ })
    await address.waitFor()
    // What the activation adds moves what is below it.
    await forgetShifts(own.page)
    await checkPage(own, 'mail-address')
    assert.deepEqual((await stage.atrium.automationRuns.list({ workspace })).data, [])

    const to = (await address.getAttribute('title')) ?? assert.fail('no address')
    const attachments = [{ filename: 'crane.jpg', content: Buffer.from('x') }]
    const mail = { to, text: 'Since Monday.\nIt squeaks.', messageId: '<1@navy.example>', attachments }
    assert.equal(await sendMail(receiver.port, mail), '250')
    await drainRuns(stage.server.services)
    const { data: runs } = await stage.atrium.automationRuns.list({ workspace })
    assert.deepEqual(
      runs.map(({ status }) => status),
      ['succeeded'],
    )
    const { page } = await stage.visit(`/automations/runs/${runs[0]?.id}?workspace=${workspace}`)
    const received = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Received' }) })
    for (const text of ['The crane is stuck', /It squeaks\./, 'Grace Hopper <grace@navy.example>', /crane\.jpg/]) {
      await received.getByText(text).waitFor()
    }
    await checkPage(own, 'mail-run')
    const { data: all } = await stage.atrium.tasks.list({ workspace })
    const tasks = all.filter(({ labels }) => labels.includes('intake'))
    assert.deepEqual(
      tasks.map(({ title, description }) => [title, description]),
      [['The crane is stuck', 'Since Monday.\nIt squeaks.\n\ngrace@navy.example']],
    )
  })

  it('has another address after it was replaced; the former one is unknown', async () => {
    const [flow] = (await stage.atrium.automationFlows.list({ workspace })).data
    const { page } = await stage.visit(`/automations/${flow?.id}`)
    const address = page.getByRole('button', { name: /^Copy flow-/ })
    const former = (await address.getAttribute('title')) ?? assert.fail('no address')
    const section = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Mail address' }) })
    await section.getByRole('button', { name: 'Replace' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const present = (await address.getAttribute('title')) ?? assert.fail('no address')
    assert.notEqual(present, former)
    assert.equal(await sendMail(receiver.port, { to: former }), '550 5.1.1 There is no such address.')
    assert.equal(await sendMail(receiver.port, { to: present, messageId: '<2@navy.example>' }), '250')
  })

  it('is a start of sentences, whose steps insert what the mail says', async () => {
    const { id } = await stage.atrium.automationFlows.create({
      workspace,
      name: 'Say what was written',
      graph: {
        schema_version: 1,
        nodes: [
          { id: 'by_hand', type: 'trigger.manual', config: {} },
          { id: 'file', type: 'task.create', config: { set: { title: 'New: ' } } },
        ],
        edges: [{ source: 'by_hand', target: 'file' }],
      },
    })
    const own = await stage.visit(`/automations/${id}/sentence`)
    const { page } = own
    const card = page.getByRole('region', { name: /^When/ })
    await card.getByRole('button', { name: /^Start/ }).click()
    await page.getByRole('option', { name: 'mail is received' }).click()
    await card.getByRole('textbox', { name: 'Only if' }).fill("mail.from.endsWith('@navy.example')")
    const title = page.getByRole('region', { name: /^Then/ }).getByRole('textbox', { name: 'Title' })
    await title.click()
    await page.keyboard.press('End')
    await page.keyboard.type('@Sub')
    await page.getByRole('option', { name: 'Subject' }).click()
    await checkPage(own, 'mail-sentence')
    const saved = page.waitForResponse((response) => response.request().method() === 'PATCH' && response.ok())
    await page.getByRole('button', { name: 'Save' }).click()
    await saved
    const { graph } = await stage.atrium.automationFlows.retrieve(id)
    assert.deepEqual(
      [graph.schema_version, ...graph.nodes.map(({ type, config }) => [type, config])],
      [
        6,
        ['trigger.mail', { when: "mail.from.endsWith('@navy.example')" }],
        ['task.create', { set: { title: { $template: 'New: {{ mail.subject }}' } } }],
      ],
    )
  })
})
