/** Passkeys, by an authenticator that the browser pretends to have. They belong to a host name, so the pages are opened by one. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { CDPSession, Page } from 'playwright-core'
import { checkPage, checkQuiet, forgetShifts, withoutStatus } from './checks.ts'
import { openStage, password, type Stage } from './stage.ts'

describe('passkeys', () => {
  let stage: Stage
  before(async () => {
    stage = await openStage({ host: 'localhost' })
  })
  after(() => stage.close())

  it('are added after a confirmation, sign in, confirm, and are removed', async () => {
    const watched = await stage.signedIn()
    const { page } = watched
    await authenticator(page)
    stage.later(11 * 60)
    await page.goto(`${stage.url}/settings/security`)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('dialog', { name: 'Add a passkey' }).getByLabel('Name').fill('My laptop')
    await page.keyboard.press('Enter')
    const confirm = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await confirm.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    const list = page.getByRole('list', { name: 'Passkeys' })
    await list.getByText('My laptop').waitFor()

    await page.getByRole('button', { name: /^Account of/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor()
    await forgetShifts(page)
    const confirmed = () => ({ ...watched, errors: withoutStatus(watched.errors, 403) })
    await checkPage(confirmed(), 'sign-in-passkey')
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()

    stage.later(11 * 60)
    await page.goto(`${stage.url}/settings/security`)
    await list.getByText('My laptop').waitFor()
    await checkPage(confirmed(), 'settings-passkeys')
    await page.getByRole('button', { name: 'Remove My laptop' }).click()
    await page.getByRole('dialog', { name: 'Remove “My laptop”?' }).getByRole('button', { name: 'Remove' }).click()
    await confirm.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('No passkey yet').waitFor()
    await page.getByText('Passkey removed').waitFor()
  })

  it('are not asked for where the person closes the browser’s dialog: nothing is said', async () => {
    const watched = await stage.open()
    const { page } = watched
    const { session, id } = await authenticator(page)
    await session.send('WebAuthn.setUserVerified', { authenticatorId: id, isUserVerified: false })
    await page.goto(`${stage.url}/sign-in`)
    const button = page.getByRole('button', { name: 'Use a passkey' })
    await button.click()
    await page.waitForFunction(() => document.querySelector('[data-busy]') === null)
    assert.equal(await page.getByRole('alert').count(), 0)
    await checkQuiet(watched)
  })
})

describe('an address instead of a host name', () => {
  it('offers no passkey, and says why', async () => {
    const stage = await openStage()
    try {
      const { page } = await stage.signedIn()
      await page.goto(`${stage.url}/settings/security`)
      await page.getByText('No passkey can be added here').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Add a passkey' }).count(), 0)
    } finally {
      await stage.close()
    }
  })
})

async function authenticator(page: Page): Promise<{ session: CDPSession; id: string }> {
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
