/** Second factors of people, as an owner sees and resets them: by mouse, by keyboard, and in German. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { AuthenticatorApp } from '../../server/test/console/authenticator-app.ts'
import { checkPage, settled } from './checks.ts'
import { confirmIfAsked, openStage, password, type Stage, type StagePerson } from './stage.ts'

describe('second factors of people', () => {
  let stage: Stage
  let mara: StagePerson
  before(async () => {
    stage = await openStage()
    mara = await stage.person('member')
  })
  after(() => stage.close())

  /** Sends a request of the page's session. */
  const send = async (page: Page, method: string, path: string, body: object) =>
    await page.evaluate(
      async ([how, where, sent]) => {
        const { csrf } = await (await fetch('/app/api/session')).json()
        const headers = { 'x-csrf': csrf, 'content-type': 'application/json' }
        const reply = await fetch(`/app/api/${where}`, { method: how, headers, body: JSON.stringify(sent) })
        if (!reply.ok) throw new Error(await reply.text())
        return await reply.json()
      },
      [method, path, body] as const,
    )
  async function setUp(page: Page): Promise<void> {
    await send(page, 'POST', 'step-up', { password })
    const { secret, set_up } = await send(page, 'POST', 'second-factor/authenticator/options', {})
    const code = new AuthenticatorApp(secret).code(Date.now())
    await send(page, 'POST', 'second-factor/authenticator', { set_up, code })
  }

  it('are listed while one is required, with how many people have none', async () => {
    const hers = await stage.visit('/', { person: mara })
    await setUp(hers.page)
    await stage.visit('/', { person: await stage.person('member', 'Nils') })
    const watched = await stage.visit('/settings/people')
    const { page } = watched
    await page.getByRole('row', { name: /Mara Lindt/ }).waitFor()
    assert.equal(await page.getByRole('columnheader', { name: 'Second factor' }).count(), 0)
    await setUp(page)
    await send(page, 'PATCH', 'organization/second-factor', { required: true })
    await page.reload()
    await page.getByText(/1 person has no second factor yet/).waitFor()
    await page.getByRole('row', { name: /Nils Lindt.*None/ }).waitFor()
    await page.getByRole('row', { name: /Mara Lindt.*Passkey or app/ }).waitFor()
    await settled(page)
    await checkPage(watched, 'people-factors')
  })

  it('are reset by keyboard, and the log names the owner', async () => {
    const watched = await stage.visit(`/settings/people/${mara.user}`)
    const { page } = watched
    const sheet = page.getByRole('dialog', { name: 'Mara Lindt' })
    await sheet.getByText('Passkey or app').waitFor()
    await sheet.getByRole('button', { name: 'Reset second factor' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Reset the second factor of Mara Lindt?' })
    await dialog.waitFor()
    await settled(page)
    await checkPage(watched, 'people-factor-reset')
    await dialog.getByRole('button', { name: 'Reset second factor' }).focus()
    await page.keyboard.press('Enter')
    const done = page.getByText(/The second factor of Mara Lindt was reset/)
    await confirmIfAsked(page, done)
    await done.waitFor()
    await sheet.getByText('None').waitFor()
    assert.deepEqual(await stage.lastActor('second_factors.reset'), stage.ownerActor)
  })

  it('are named in German', async () => {
    const { page } = await stage.visit('/')
    await send(page, 'PATCH', 'preferences', { language: 'de' })
    await page.goto(`${stage.url}/settings/people`)
    await page.getByText(/2 Personen haben noch keinen zweiten Faktor/).waitFor()
    await page.getByRole('columnheader', { name: 'Zweiter Faktor' }).waitFor()
  })

  it('that were reset are a notice in the inbox of the person, which leads to the settings where one is set up', async () => {
    // The reset has ended her sessions. She signs in, and has to set up another factor first.
    const watched = await stage.open()
    const { page } = watched
    await page.goto(`${stage.url}/sign-in`)
    await page.getByLabel('Email').fill(mara.email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor()
    await setUp(page)
    const notice = page.getByRole('list', { name: /^(Entries|Einträge)$/ }).getByRole('button')
    await page.goto(`${stage.url}/inbox`)
    await page.getByText('reset your second factor. Set up another one in your settings.').waitFor()
    await settled(page)
    await checkPage(watched, 'people-factor-notice')
    await send(page, 'PATCH', 'preferences', { language: 'de' })
    await page.reload()
    await page.getByText('hat deinen zweiten Faktor zurückgesetzt. Richte in deinen Einstellungen').waitFor()
    await settled(page)
    await checkPage(watched, 'people-factor-notice-german')
    await notice.first().focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/settings\/security$/)
    await page.getByRole('heading', { name: 'Sicherheit' }).first().waitFor()
  })
})
