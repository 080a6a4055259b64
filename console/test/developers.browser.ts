/** The developer area: what engineers read and do when they integrate. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openReceiver, type Receiver } from '../../server/test/receiver.ts'
import { checkPage, forgetShifts } from './checks.ts'
import { confirmIfAsked, stageOf } from './stage.ts'

describe('the developer area', () => {
  const stage = stageOf()
  let receiver: Receiver
  let task: string
  before(async () => {
    receiver = await openReceiver()
    const { id: workspace } = await stage.atrium.workspaces.create({ title: 'Harbour' })
    task = (await stage.atrium.tasks.create({ workspace, title: '<img src=x onerror=alert(1)>' })).id
    await stage.atrium.tasks.retrieve('KEP-404').catch(() => {})
  })
  after(() => receiver.close())

  const open = (path: string) => stage.visit(`/developers${path}`)

  it('leads from an error to the request that received it', async () => {
    const watched = await open('')
    const { page } = watched
    await page.getByRole('row', { name: /resource_not_found/ }).click()
    await page.getByRole('row', { name: /KEP-404/ }).click()
    const sheet = page.getByRole('dialog', { name: 'GET /v1/tasks/KEP-404' })
    await sheet.getByText('resource_not_found').first().waitFor()
    await forgetShifts(page)
    await checkPage(watched, 'developers-request')
  })

  it('creates a key that works, shows its secret once and revokes it', async () => {
    const watched = await open('/keys')
    const { page } = watched
    await page.getByRole('button', { name: 'New key' }).first().click()
    await page.getByLabel('Name').fill('Nightly report')
    await checkPage(watched, 'developers-new-key')
    await page.getByRole('button', { name: 'Create' }).click()
    const dialog = page.getByRole('dialog', { name: 'New key: Nightly report' })
    await confirmIfAsked(page, dialog)
    let secret = await dialog.locator('code').first().innerText()
    assert.match(secret, /^atr_live_/)
    await page.keyboard.press('Escape')
    assert.ok(await dialog.isVisible(), 'Escape does not close a secret')
    await dialog.getByLabel('I have stored the secret').check()
    await dialog.getByRole('button', { name: 'Done' }).click()
    const me = (key = secret) => fetch(`${stage.server.url}/v1/me`, { headers: { authorization: `Bearer ${key}` } })
    assert.equal((await me()).status, 200)
    assert.deepEqual(await stage.lastActor('api_keys.create'), stage.ownerActor)
    await page.getByRole('row', { name: /Nightly report/ }).click()
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('dialog', { name: 'Rename key' }).getByLabel('Name').fill('Weekly report')
    await page.getByRole('button', { name: 'Save' }).click()
    const sheet = page.getByRole('dialog', { name: 'Weekly report', exact: true })
    await sheet.getByRole('button', { name: 'Roll' }).click()
    await page.getByLabel('Old secret').selectOption('0')
    await page.getByRole('dialog', { name: 'Roll Weekly report?' }).getByRole('button', { name: 'Roll' }).click()
    const rolled = page.getByRole('dialog', { name: 'New secret: Weekly report' })
    await confirmIfAsked(page, rolled)
    const old = secret
    secret = await rolled.locator('code').first().innerText()
    assert.notEqual(secret, old)
    await rolled.getByLabel('I have stored the secret').check()
    await rolled.getByRole('button', { name: 'Done' }).click()
    assert.deepEqual([(await me(old)).status, (await me()).status], [401, 200])
    await sheet.getByRole('button', { name: 'Revoke' }).click()
    const question = page.getByRole('dialog', { name: 'Revoke Weekly report?' })
    await question.getByLabel('Type Weekly report to confirm').fill('Weekly report')
    await question.getByRole('button', { name: 'Revoke' }).click()
    // Rows behind a dialog have no role.
    await question.waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /Weekly report/ }).waitFor({ state: 'detached' })
    assert.equal((await me()).status, 401)
  })

  it('adds an endpoint after verifying it, and sends it an example', async () => {
    const watched = await open('/webhooks')
    const { page } = watched
    await page.getByRole('button', { name: 'New endpoint' }).first().click()
    await page.getByLabel('URL').fill(receiver.url)
    await page.getByRole('button', { name: 'Verify and add' }).click()
    const dialog = page.getByRole('dialog', { name: 'Signing secret' })
    await confirmIfAsked(page, dialog)
    await dialog.getByLabel('I have stored the secret').check()
    await dialog.getByRole('button', { name: 'Done' }).click()
    assert.equal(receiver.verifications.length, 1)
    await page.getByRole('row', { name: new RegExp(receiver.url) }).click()
    await page.getByRole('button', { name: 'Send example' }).click()
    await page.getByText(/^204 in /).waitFor()
    assert.equal(receiver.events.filter(({ event }) => event.sequence === null).length, 1)
    await checkPage(watched, 'developers-endpoint')
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Recover…' }).click()
    await page.getByRole('dialog', { name: 'Recover missed events?' }).getByRole('button', { name: 'Recover' }).click()
    await page.getByText(/deliveries scheduled|Nothing was missed/).waitFor()
    assert.deepEqual(await stage.lastActor('webhook_endpoints.recover'), stage.ownerActor)
    assert.deepEqual(await stage.lastActor('webhook_endpoints.create'), stage.ownerActor)
  })

  it('shows an event live, with the request that caused it', async () => {
    const watched = await open('/events')
    const { page } = watched
    await page.getByText('Live', { exact: true }).waitFor()
    await stage.atrium.tasks.complete(task)
    await page.getByRole('row', { name: /workflow\.task\.completed/ }).click()
    const sheet = page.getByRole('dialog', { name: 'workflow.task.completed' })
    await sheet.getByRole('link', { name: /^req_/ }).first().waitFor()
    // The new row pushed the others down.
    await forgetShifts(page)
    await checkPage(watched, 'developers-event')
    await sheet.getByRole('link', { name: task }).first().click()
    await page.waitForURL(new RegExp(task))
  })

  it('verifies the audit chain', async () => {
    const watched = await open('/audit')
    await watched.page.getByRole('button', { name: 'Verify chain' }).click()
    await watched.page.getByText(/^The chain is intact/).waitFor()
    await checkPage(watched, 'developers-audit')
  })
})
