/** The developer area: what engineers look at when they integrate, and what they do there. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { openReceiver, type Receiver } from '../../server/test/receiver.ts'
import { checkPage } from './checks.ts'
import { openStage, password, type Stage } from './stage.ts'

describe('the developer area', () => {
  let stage: Stage
  let receiver: Receiver
  let task: string
  before(async () => {
    stage = await openStage()
    receiver = await openReceiver()
    const { id: workspace } = await stage.atrium.workspaces.create({ title: 'Harbour' })
    task = (await stage.atrium.tasks.create({ workspace, title: '<img src=x onerror=alert(1)>' })).id
    await stage.atrium.tasks.retrieve('KEP-404').catch(() => {})
  })
  after(async () => {
    await receiver.close()
    await stage.close()
  })

  const open = async (path: string) => {
    const watched = await stage.signedIn()
    await watched.page.goto(`${stage.url}/developers${path}`)
    await watched.page.getByRole('heading', { level: 1 }).waitFor()
    return watched
  }
  const confirm = async (page: Page): Promise<void> => {
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
    if (!(await dialog.isVisible())) return
    await dialog.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'hidden' })
  }
  const forgetShifts = (page: Page) => page.evaluate('window.__shifts.length = 0')
  const audited = async (action: string) => {
    const { data } = await stage.atrium.auditLogs.list({ action, limit: 1 })
    return data[0]?.actor
  }

  for (const [path, name] of [
    ['', 'activity'],
    ['/requests', 'requests'],
    ['/usage', 'usage'],
    ['/versions', 'versions'],
    ['/applications', 'applications'],
  ] as const) {
    it(`shows ${name}`, async () => checkPage(await open(path), `developers-${name}`))
  }

  it('leads from an error to the request that got it', async () => {
    const { page } = await open('')
    await page.getByRole('row', { name: /resource_not_found/ }).click()
    await page.getByRole('row', { name: /KEP-404/ }).click()
    const sheet = page.getByRole('dialog', { name: 'GET /v1/tasks/KEP-404' })
    await sheet.getByText('resource_not_found').first().waitFor()
    await checkPage(await stage.signedIn(), 'developers-home')
  })

  it('makes a key that works, shows its secret once, and revokes it', async () => {
    const watched = await open('/keys')
    const { page } = watched
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByLabel('Name').fill('Nightly report')
    await checkPage(watched, 'developers-new-key')
    await page.getByRole('button', { name: 'Make the key' }).click()
    await confirm(page)
    const dialog = page.getByRole('dialog', { name: 'The key Nightly report' })
    const secret = await dialog.locator('code').first().innerText()
    assert.match(secret, /^atr_live_/)
    await page.keyboard.press('Escape')
    assert.ok(await dialog.isVisible(), 'a secret is not closed by accident')
    await dialog.getByLabel('I stored it').check()
    await dialog.getByRole('button', { name: 'Done' }).click()
    const me = () => fetch(`${stage.server.url}/v1/me`, { headers: { authorization: `Bearer ${secret}` } })
    assert.equal((await me()).status, 200)
    assert.deepEqual(await audited('api_keys.create'), { type: 'user', id: stage.owner.user })
    await page.getByRole('row', { name: /Nightly report/ }).click()
    await page.getByRole('button', { name: 'Revoke' }).click()
    const asked = page
      .getByRole('alertdialog')
      .or(page.getByRole('dialog', { name: 'Revoke Nightly report?' }))
      .last()
    const typed = asked.getByRole('textbox')
    if (await typed.isVisible()) await typed.fill('Nightly report')
    await asked.getByRole('button', { name: 'Revoke the key' }).click()
    await page.getByRole('row', { name: /Nightly report/ }).waitFor({ state: 'detached' })
    assert.equal((await me()).status, 401)
  })

  it('makes an endpoint after asking it, and sends it an example', async () => {
    const watched = await open('/webhooks')
    const { page } = watched
    await page.getByRole('button', { name: 'New endpoint' }).click()
    await page.getByLabel('Address').fill(receiver.url)
    await page.getByRole('button', { name: 'Verify and add' }).click()
    await confirm(page)
    const dialog = page.getByRole('dialog', { name: 'The signing secret' })
    await dialog.getByLabel('I stored it').check()
    await dialog.getByRole('button', { name: 'Done' }).click()
    assert.equal(receiver.verifications.length, 1)
    await page.getByRole('row', { name: new RegExp(receiver.url) }).click()
    await page.getByRole('button', { name: 'Send an example' }).click()
    await page.getByText(/^204 in /).waitFor()
    assert.equal(receiver.events.filter(({ event }) => event.sequence === null).length, 1)
    await checkPage(watched, 'developers-endpoint')
    assert.deepEqual(await audited('webhook_endpoints.create'), { type: 'user', id: stage.owner.user })
  })

  it('shows an event the moment it happens, as text, with what caused it', async () => {
    const watched = await open('/events')
    const { page } = watched
    await page.getByText('live', { exact: true }).waitFor()
    await stage.atrium.tasks.complete(task)
    await page.getByRole('row', { name: /workflow\.task\.completed/ }).click()
    const sheet = page.getByRole('dialog', { name: 'workflow.task.completed' })
    await sheet.getByRole('link', { name: /^req_/ }).first().waitFor()
    // New rows push the others down: that is what the page is for.
    await forgetShifts(page)
    await checkPage(watched, 'developers-event')
    await sheet.getByRole('link', { name: task }).first().click()
    await page.waitForURL(new RegExp(task))
  })

  it('verifies the audit chain, whose newest entries name the person', async () => {
    const watched = await open('/audit')
    await watched.page.getByRole('button', { name: 'Verify the chain' }).click()
    await watched.page.getByText(/^The chain is whole/).waitFor()
    await checkPage(watched, 'developers-audit')
  })
})
