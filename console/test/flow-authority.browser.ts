/** A flow whose permissions have ended, in real browsers: the inbox leads to it, and people renew it and take it over. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { Atrium } from '../../sdk/typescript/src/index.ts'
import { automationAuthoritiesWorker } from '../../server/src/workers/automations/authorities.ts'
import { checkPage, forgetShifts } from './checks.ts'
import { stageOf } from './stage.ts'

describe('the permissions of a flow', () => {
  const stage = stageOf()
  let flow: string
  before(async () => {
    const { atrium } = stage
    // The owner has an account from the first visit on, and hears of what follows.
    await stage.signedIn()
    const workspace = (await atrium.workspaces.create({ title: 'Harbour' })).id
    const task = (await atrium.tasks.create({ workspace, title: 'Order sails' })).id
    const scopes = ['automations:write', 'tasks:read', 'comments:write'] as const
    const key = await atrium.apiKeys.create({ name: 'Sails', scopes: [...scopes] })
    const theirs = new Atrium({ apiKey: key.secret ?? '', baseUrl: stage.server.url, maxRetries: 0 })
    const created = await theirs.automationFlows.create({
      workspace,
      name: 'Order sails',
      graph: {
        schema_version: 1,
        nodes: [
          { id: 'by_hand', type: 'trigger.manual', config: {} },
          { id: 'say', type: 'task.comment', config: { body: 'Ordered.' } },
        ],
        edges: [{ source: 'by_hand', target: 'say' }],
      },
    })
    flow = created.id
    const { preview_token } = await theirs.automationFlows.preview(flow, { workspace, task })
    await theirs.automationFlows.activate(flow, { workspace, preview_token, scope_acknowledged: true })
    await atrium.apiKeys.delete(key.id)
    await automationAuthoritiesWorker.run(stage.server.services, 50, new AbortController().signal)
  })

  const authority = async () => (await stage.atrium.automationFlows.retrieve(flow)).authority

  it('have ended: the inbox says so and leads to the flow, whose list and page show it', async () => {
    const own = await stage.visit('/automations')
    const { page } = own
    await page.getByRole('row', { name: 'Order sails' }).getByText('No permissions').waitFor()
    await checkPage(own, 'flows-without-permissions')
    await page.goto(`${stage.url}/inbox`)
    const entry = page.locator('.inbox-group', { hasText: 'Order sails' })
    await entry.getByText('The permissions of this automation have ended; a person has to renew them').waitFor()
    await entry.getByRole('button', { name: 'Unread: Order sails' }).click()
    const notice = page.getByRole('alert').filter({ hasText: 'The permissions of this flow have ended' })
    await notice.getByText('was deleted. Its runs fail until a person renews them.').waitFor()
    await forgetShifts(page)
    await checkPage(own, 'flow-without-permissions')
  })

  it('are renewed by keyboard, after the consent: the flow acts for the person, in the same version', async () => {
    const own = await stage.visit(`/automations/${flow}`)
    const { page } = own
    const notice = page.getByRole('alert').filter({ hasText: 'The permissions of this flow have ended' })
    await notice.getByRole('button', { name: 'Renew' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Renew the permissions of Order sails' })
    const submit = dialog.getByRole('button', { name: 'Renew' })
    assert.equal(await submit.isDisabled(), true)
    await dialog.getByLabel('Allow it to read tasks and write comments').focus()
    await page.keyboard.press('Space')
    await checkPage(own, 'flow-renewal')
    await submit.focus()
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await notice.waitFor({ state: 'detached' })
    await page.getByText('You', { exact: true }).waitFor()
    const renewed = await authority()
    assert.deepEqual([renewed?.status, renewed?.acts_for], ['valid', stage.ownerActor])
    assert.equal((await stage.atrium.automationFlows.retrieve(flow)).version, 1)
  })

  it('are taken over by another person, by mouse', async () => {
    const person = await stage.person('member')
    const own = await stage.visit(`/automations/${flow}`, { person })
    const { page } = own
    await page.getByRole('button', { name: 'Take over' }).click()
    const dialog = page.getByRole('dialog', { name: 'Take over Order sails' })
    await dialog.getByLabel('Allow it to read tasks and write comments').click()
    await dialog.getByRole('button', { name: 'Take over' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('You', { exact: true }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Take over' }).count(), 0)
    assert.deepEqual((await authority())?.acts_for, { type: 'user', id: person.user })
    await checkPage(own, 'flow-taken-over')
  })
})
