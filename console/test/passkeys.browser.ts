/** Passkeys, with a virtual authenticator. They need a host name, so the pages are opened on `localhost`. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CDPSession, Page } from 'playwright-core'
import { checkPage, checkQuiet, forgetShifts, withoutStatus } from './checks.ts'
import { confirmationOn, confirmIdentity, openStage, stageOf } from './stage.ts'

describe('passkeys', () => {
  const stage = stageOf({ host: 'localhost' })

  it('are added after a confirmation, sign in, confirm a change and are removed', async () => {
    const watched = await stage.signedIn()
    const { page } = watched
    await addAuthenticator(page)
    stage.later(11 * 60)
    await page.goto(`${stage.url}/settings/security`)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('dialog', { name: 'Add a passkey' }).getByLabel('Name').fill('My laptop')
    await page.keyboard.press('Enter')
    await confirmIdentity(page)
    const list = page.getByRole('list', { name: 'Passkeys' })
    await list.getByText('My laptop').waitFor()

    await page.getByRole('button', { name: /^Account of/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor()
    await forgetShifts(page)
    // A change that needs a confirmation is refused with 403 first.
    const expected = () => ({ ...watched, errors: withoutStatus(watched.errors, 403) })
    await checkPage(expected(), 'sign-in-passkey')
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()

    stage.later(11 * 60)
    await page.goto(`${stage.url}/settings/security`)
    await list.getByText('My laptop').waitFor()
    await checkPage(expected(), 'settings-passkeys')
    await page.getByRole('button', { name: 'Remove My laptop' }).click()
    await page.getByRole('dialog', { name: 'Remove “My laptop”?' }).getByRole('button', { name: 'Remove' }).click()
    await confirmationOn(page).getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('No passkeys yet').waitFor()
    await page.getByText('Passkey removed').waitFor()
  })

  it('show no error if the person cancels the browser’s dialog', async () => {
    const watched = await stage.open()
    const { page } = watched
    const { session, id } = await addAuthenticator(page)
    await session.send('WebAuthn.setUserVerified', { authenticatorId: id, isUserVerified: false })
    await page.goto(`${stage.url}/sign-in`)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.waitForFunction(() => document.querySelector('[data-busy]') === null)
    assert.equal(await page.getByRole('alert').count(), 0)
    await checkQuiet(watched)
  })
})

describe('an IP address instead of a host name', () => {
  it('offers no passkeys and says why', async () => {
    const stage = await openStage()
    try {
      const { page } = await stage.signedIn()
      await page.goto(`${stage.url}/settings/security`)
      await page.getByText('Passkeys are not available here').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Add a passkey' }).count(), 0)
    } finally {
      await stage.close()
    }
  })
})

async function addAuthenticator(page: Page): Promise<{ session: CDPSession; id: string }> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { session, id: authenticatorId }
}
