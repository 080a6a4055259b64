/** Signing in and out: links, passwords, sessions, and what stays hidden without one. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkPage, checkQuiet, forgetShifts, settled, withoutStatus } from './checks.ts'
import { owner_email, password, stageOf } from './stage.ts'

describe('signing in', () => {
  const stage = stageOf()

  it('sets the first owner’s password by a link whose token leaves the URL and works once', async () => {
    const watched = await stage.open()
    const { page } = watched
    await page.goto(stage.setupUrl)
    await page.getByRole('heading', { name: 'Set up Acme' }).waitFor()
    assert.equal(new URL(page.url()).hash, '', 'the token must not stay in the URL')
    await checkPage(watched, 'set-up')
    await page.getByLabel('New password').fill('too short')
    assert.equal(await page.getByRole('button', { name: 'Continue' }).isDisabled(), true)
    await page.getByLabel('New password').fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    assert.equal(new URL(page.url()).pathname, '/')
    await settled(page)
    await checkQuiet(watched)

    const again = await stage.open()
    await again.page.goto(stage.setupUrl)
    await again.page.getByRole('heading', { name: 'This link is not valid' }).waitFor()
    await checkPage({ ...again, errors: withoutStatus(again.errors, 404) }, 'link-invalid')
  })

  it('asks for a sign-in, refuses a wrong password and then opens the requested page', async () => {
    const watched = await stage.open()
    const { page } = watched
    await page.goto(`${stage.url}/settings/appearance`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await checkPage(watched, 'sign-in')
    await page.getByLabel('Email').fill(owner_email)
    await page.getByLabel('Password', { exact: true }).fill('not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    const alert = page.getByRole('alert')
    await alert.waitFor()
    assert.match(await alert.innerText(), /address or the password/i)
    await forgetShifts(page)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Appearance', level: 1 }).waitFor()
    assert.equal(new URL(page.url()).pathname, '/settings/appearance')
    await settled(page)
    await checkQuiet({ ...watched, errors: withoutStatus(watched.errors, 401) })
  })

  it('opens only pages of the console after signing in', async () => {
    const { page } = await stage.signedIn()
    for (const next of ['https://evil.example/', '//evil.example/', '/\\evil.example', 'javascript:alert(1)']) {
      await page.goto(`${stage.url}/sign-in?next=${encodeURIComponent(next)}`)
      await page.getByRole('navigation', { name: 'Main' }).waitFor()
      assert.equal(page.url(), `${stage.url}/`, next)
    }
  })

  it('signs out in all tabs at once and hides the organization', async () => {
    const { page } = await stage.signedIn(stage.owner, { fresh: true })
    const second = await page.context().newPage()
    await second.goto(`${stage.url}/settings/people`)
    await second.getByRole('heading', { name: 'People' }).waitFor()
    await page.getByRole('button', { name: /^Account of/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await second.getByRole('heading', { name: 'Sign in' }).waitFor()
    assert.equal(await second.getByText(owner_email).count(), 0)
    assert.equal(
      await page.getByText('Your session has ended').count(),
      0,
      'signing out needs no message about the ended session',
    )
  })

  it('reports a session that ended elsewhere and returns to the page after signing in', async () => {
    const { page } = await stage.signedIn(stage.owner, { fresh: true })
    await page.goto(`${stage.url}/settings/people`)
    await page.getByRole('heading', { name: 'People' }).waitFor()
    // What the page still reads would notice the ended session before the link is followed.
    await settled(page)
    await page.context().clearCookies()
    await page.getByRole('link', { name: 'Security' }).click()
    await page.getByText('Your session has ended').waitFor()
    await page.getByLabel('Email').fill(owner_email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Security', level: 1 }).waitFor()
  })

  it('keeps the access token in memory only', async () => {
    const { page } = await stage.signedIn()
    const sent = page.waitForRequest((request) => /Bearer atr_at_live_/.test(request.headers().authorization ?? ''))
    await page.goto(stage.url)
    const token = (await sent).headers().authorization?.slice('Bearer '.length) ?? ''
    const kept = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    )
    assert.equal(kept.includes(token), false)
    assert.equal(kept.includes('atr_'), false)
    const cookies = await page.context().cookies()
    assert.deepEqual(
      cookies.map(({ name, httpOnly, secure, sameSite, path }) => ({ name, httpOnly, secure, sameSite, path })),
      [{ name: '__Host-atrium', httpOnly: true, secure: true, sameSite: 'Strict', path: '/' }],
    )
  })
})
