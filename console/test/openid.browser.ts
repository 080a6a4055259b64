/** Sign-in at an OpenID provider, and a confirmation there, with a certified provider on the loopback interface. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { addProvider, CertifiedProvider } from '../../server/test/openid-provider.ts'
import { checkPage, settled, withoutStatus } from './checks.ts'
import { confirmationOn, stageOf } from './stage.ts'

describe('a person of an OpenID provider', () => {
  const stage = stageOf()
  const corp = new CertifiedProvider()
  before(async () => {
    await corp.open()
    corp.register(stage.url, 'corp')
    corp.people.set('ada', { email: 'ada@corp.example', email_verified: true, given_name: 'Ada' })
    const { organization, server } = stage
    addProvider(server.services, corp.issuer, { organization, defaultRole: 'admin' })
  })
  after(() => corp.close())

  const authenticate = async (page: Page) => {
    await page.locator('input[name="login"]').fill('ada')
    await page.locator('input[name="password"]').fill('any')
    await page.locator('button[type="submit"]').click()
  }

  it('cancels, signs in, opens the page that was asked for, and confirms a change in a window of the provider', async () => {
    const watched = await stage.open()
    const { page } = watched
    await page.goto(`${stage.url}/settings/people`)
    const button = page.getByRole('button', { name: 'Continue with Corp' })
    await button.waitFor()
    await checkPage(watched, 'sign-in-openid')

    await button.click()
    await page.locator('a[href$="/abort"]').click()
    await page.getByRole('heading', { name: 'Sign-in did not succeed' }).waitFor()
    assert.match(await page.getByRole('alert').innerText(), /canceled at the provider/)
    assert.equal(new URL(page.url()).search, '', 'the code must not stay in the URL')
    // The provider's page asked for its own files and for a font.
    const errors = withoutStatus(watched.errors, 401).filter((text) => !text.includes('fonts.googleapis.com'))
    await checkPage({ ...watched, foreign: [], errors }, 'sign-in-openid-failed')
    await page.getByRole('link', { name: 'Back to sign-in' }).click()
    await button.click()
    await authenticate(page)
    await page.locator('button[type="submit"]').click()
    await page.getByRole('heading', { name: 'People', level: 1 }).waitFor()
    assert.equal(new URL(page.url()).pathname, '/settings/people')
    await settled(page)

    stage.later(11 * 60)
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByLabel('Email').fill('bea@acme.example')
    await page.getByRole('button', { name: 'Create invitation' }).click()
    const opening = page.context().waitForEvent('page')
    await confirmationOn(page).getByRole('button', { name: 'Confirm with Corp' }).click()
    const popup = await opening
    await authenticate(popup)
    await page.locator('figure code').waitFor()
    assert.match(await page.locator('figure code').innerText(), /\/invite#/)
  })
})
