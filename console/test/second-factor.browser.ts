/** A second factor: set up by keyboard, required by mouse, set up at the sign-in by a person without one, and proved. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { checkPage, settled, withoutStatus } from './checks.ts'
import { confirmIdentity, password, type StagePerson, stageOf } from './stage.ts'

describe('a second factor', () => {
  const stage = stageOf({ host: 'localhost' })
  let member: StagePerson
  let skipped_ms = 0
  before(async () => {
    member = await stage.person('member')
  })

  const later = (seconds: number) => {
    skipped_ms += seconds * 1000
    stage.later(seconds)
  }
  const codeOf = (secret: string) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + skipped_ms })
  const secretOn = async (page: Page) => (await page.getByText(/^[A-Z2-7]{32}$/).innerText()).trim()
  const storeCodes = async (page: Page): Promise<string> => {
    const [first = ''] = (await page.locator('code').first().innerText()).split('\n')
    assert.match(first, /^[2-9A-Z]{6}-[2-9A-Z]{6}$/)
    await page.getByLabel('I have stored the codes').check()
    await page.getByRole('button', { name: 'Done' }).click()
    return first
  }
  /** The browser creates passkeys. */
  const addAuthenticator = async (page: Page) => {
    const session = await page.context().newCDPSession(page)
    await session.send('WebAuthn.enable')
    await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
        ...{ isUserVerified: true, automaticPresenceSimulation: true },
      },
    })
  }
  const openSignIn = async (person: StagePerson) => {
    const watched = await stage.open()
    await watched.page.goto(`${stage.url}/sign-in`)
    await watched.page.getByLabel('Email').fill(person.email)
    await watched.page.getByLabel('Password', { exact: true }).fill(password)
    await watched.page.keyboard.press('Enter')
    return watched
  }

  it('is set up by keyboard in the settings, and shows recovery codes once', async () => {
    const watched = await stage.visit('/settings/organization')
    const { page } = watched
    assert.ok(await page.getByRole('switch', { name: 'Require a second factor' }).isDisabled())
    await checkPage(watched, 'organization-second-factor')
    later(11 * 60)
    await page.goto(`${stage.url}/settings/security`)
    const list = page.getByRole('list', { name: 'Second factor' })
    await list.getByRole('button', { name: 'Set up' }).focus()
    await page.keyboard.press('Enter')
    await confirmIdentity(page)
    const dialog = page.getByRole('dialog', { name: 'Authenticator app' })
    await dialog.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
    const secret = await secretOn(page)
    await settled(page)
    await checkPage({ ...watched, errors: withoutStatus(watched.errors, 403) }, 'authenticator-set-up')
    await dialog.getByLabel('Code of the app').focus()
    await page.keyboard.type(codeOf(secret))
    await page.keyboard.press('Enter')
    await storeCodes(page)
    await list.getByText('10 are left').waitFor()
    assert.deepEqual(await stage.lastActor('authenticators.create'), stage.ownerActor)
    await settled(page)
    await checkPage({ ...watched, errors: withoutStatus(watched.errors, 403) }, 'security-second-factor')
  })

  it('is proved in a dialog before it is changed, where the organization requires none', async () => {
    const person = await stage.person('member', 'Ida', 'Holm')
    const { page } = await stage.open()
    await addAuthenticator(page)
    await page.goto(await stage.link(person))
    await page.getByLabel('New password').fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    await page.goto(`${stage.url}/settings/security`)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('list', { name: 'Passkeys' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'New codes' }).click()
    const recovery = await storeCodes(page)

    const watched = await openSignIn(person)
    const { page: byPassword } = watched
    await byPassword.getByRole('navigation', { name: 'Main' }).waitFor()
    await byPassword.goto(`${stage.url}/settings/security`)
    const list = byPassword.getByRole('list', { name: 'Second factor' })
    await list.getByRole('button', { name: 'Set up' }).click()
    const dialog = byPassword.getByRole('dialog', { name: 'Second factor' })
    await dialog.getByLabel('Code').waitFor()
    await dialog.getByLabel('Code').fill('AAAAAA-AAAAAA')
    await byPassword.keyboard.press('Enter')
    await dialog.getByText('The code is wrong or was already used.').waitFor()
    await dialog.getByLabel('Code').fill(recovery)
    await byPassword.keyboard.press('Enter')
    await byPassword.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
  })

  it('is required of all people by a click, and the member who is signed in sets it up before going on', async () => {
    const { page: early } = await stage.visit('/my-work', { person: member })
    const { page } = await stage.visit('/settings/organization')
    await page.getByRole('switch', { name: 'Require a second factor' }).click()
    await page.getByText('A second factor is required now').waitFor()
    assert.ok(await page.getByRole('switch', { name: 'Require a second factor' }).isChecked())
    await early.goto(`${stage.url}/work`)
    await early.getByRole('heading', { name: 'Set up a second factor' }).waitFor()
    assert.equal(await early.getByRole('navigation', { name: 'Main' }).count(), 0)
  })

  it('is set up at the sign-in by mouse, with a wrong code first, and asked for at the next one', async () => {
    const watched = await openSignIn(member)
    const { page } = watched
    await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor()
    await settled(page)
    await checkPage(watched, 'second-factor-needed')
    await page.getByRole('button', { name: 'Use an authenticator app' }).click()
    const secret = await secretOn(page)
    await page.getByLabel('Code of the app').fill('000000')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('The code is wrong.').waitFor()
    await page.getByLabel('Code of the app').fill(codeOf(secret))
    await page.getByRole('button', { name: 'Continue' }).click()
    const recovery = await storeCodes(page)
    await page.getByRole('navigation', { name: 'Main' }).waitFor()

    const again = await openSignIn(member)
    await again.page.getByRole('heading', { name: 'Second factor' }).waitFor()
    await settled(again.page)
    await checkPage(again, 'second-factor')
    later(60)
    await again.page.getByLabel('Code').fill(codeOf(secret))
    await again.page.keyboard.press('Enter')
    await again.page.getByRole('navigation', { name: 'Main' }).waitFor()

    const lost = await openSignIn(member)
    await lost.page.getByLabel('Code').fill(recovery)
    await lost.page.getByRole('button', { name: 'Continue' }).click()
    await lost.page.getByRole('navigation', { name: 'Main' }).waitFor()
  })

  it('can be a passkey, created at the sign-in', async () => {
    const person = await stage.person('admin', 'Nils', 'Berg')
    const watched = await stage.open()
    const { page } = watched
    await addAuthenticator(page)
    await page.goto(await stage.link(person))
    await page.getByLabel('New password').fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await storeCodes(page)
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
  })

  it('is asked for in German', async () => {
    const watched = await stage.open({ locale: 'de-DE' })
    const { page } = watched
    await page.goto(`${stage.url}/sign-in`)
    await page.getByLabel('E-Mail').fill(member.email)
    await page.locator('input[type=password]').fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Zweiter Faktor' }).waitFor()
    await page.getByText('Aus der Authenticator-App, oder ein Wiederherstellungscode.').waitFor()
    await page.getByRole('button', { name: 'Abmelden' }).click()
    await page.getByRole('heading', { name: 'Anmelden' }).waitFor()
  })
})
