/** Tokens for provisioning: made by keyboard, used by a provider, revoked by mouse; only owners see them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkPage, settled } from './checks.ts'
import { confirmIfAsked, stageOf } from './stage.ts'

describe('provisioning by SCIM', () => {
  const stage = stageOf()
  let secret: string

  const ask = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${secret}` }
    return (await fetch(`${stage.url}/scim/v2/Users`, { headers })).status
  }

  it('gets a token that is shown once, made by keyboard', async () => {
    const watched = await stage.visit('/settings/organization')
    const { page } = watched
    await page.getByText('No tokens yet.').waitFor()
    await page.getByText(`${stage.url}/scim/v2`).waitFor()
    await page.getByRole('button', { name: 'New token' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'New token' }).getByLabel('Name').waitFor()
    await page.keyboard.type('Okta')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Token of Okta' })
    await confirmIfAsked(page, dialog)
    secret = await dialog.locator('code').first().innerText()
    await settled(page)
    await checkPage(watched, 'scim-secret')
    await dialog.getByLabel('I have stored the secret').focus()
    await page.keyboard.press('Space')
    await dialog.getByRole('button', { name: 'Done' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('list', { name: 'Tokens for provisioning' }).getByText('Okta').waitFor()
    assert.equal(await ask(), 200)
    assert.deepEqual(await stage.lastActor('scim_tokens.create'), stage.ownerActor)
    await settled(page)
    await checkPage(watched, 'scim-tokens')
  })

  it('is not shown to admins', async () => {
    const { page } = await stage.visit('/settings/organization', { person: await stage.person('admin') })
    await page.getByRole('heading', { name: 'Sign-in' }).waitFor()
    assert.equal(await page.getByText('Provisioning').count(), 0)
  })

  it('ends with the token, revoked by mouse', async () => {
    const { page } = await stage.visit('/settings/organization')
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog', { name: 'Revoke Okta?' }).getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('No tokens yet.').waitFor()
    assert.equal(await ask(), 401)
  })

  it('is offered in German', async () => {
    const { page } = await stage.visit('/')
    await page.evaluate(async () => {
      const { csrf } = await (await fetch('/app/api/session')).json()
      const headers = { 'x-csrf': csrf, 'content-type': 'application/json' }
      await fetch('/app/api/preferences', { method: 'PATCH', headers, body: JSON.stringify({ language: 'de' }) })
    })
    await page.goto(`${stage.url}/settings/organization`)
    await page.getByRole('heading', { name: 'Bereitstellung' }).waitFor()
    await page.getByRole('button', { name: 'Neues Token' }).waitFor()
  })
})
