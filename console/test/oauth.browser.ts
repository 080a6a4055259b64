/** Sign-in to an application by OAuth: register it, allow it by mouse and by keyboard, deny it, end its access. */
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { exchange, newVerifier, requestOf } from '../../server/test/oauth-client.ts'
import { checkPage, settled } from './checks.ts'
import { confirmIdentity, confirmIfAsked, openStage, type Stage } from './stage.ts'

describe('an application that asks for access', () => {
  let stage: Stage
  let application: Server
  let back: string
  let secret: string
  let id: string
  before(async () => {
    stage = await openStage()
    application = createServer((_, response) => {
      response.setHeader('content-type', 'text/html')
      response.end('<!doctype html><html lang="en"><title>Planner</title><h1>Back in Planner</h1></html>')
    })
    await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve))
    back = `http://127.0.0.1:${(application.address() as AddressInfo).port}/back`
  })
  after(async () => {
    application.close()
    application.closeAllConnections()
    await stage.close()
  })

  const address = (verifier: string, more: Record<string, string> = {}) =>
    // Some programs write a space as %20.
    `/oauth/authorize?${requestOf({ id }, verifier, { redirect_uri: back, scope: 'tasks:read tasks:write', ...more }).replaceAll('+', '%20')}`
  const isBack = async (page: Page) => {
    await page.getByRole('heading', { name: 'Back in Planner' }).waitFor()
    return new URL(page.url()).searchParams
  }

  it('is registered by an admin, with a secret that is shown once', async () => {
    const watched = await stage.visit('/developers/applications')
    const { page } = watched
    await page.getByRole('button', { name: 'New application' }).first().click()
    await page.getByLabel('Name').fill('Planner')
    await page.getByLabel('People sign in to it with their account').check()
    await page.getByLabel('On a server').check()
    await page.getByLabel('Redirect URIs').fill('http://planner.example/back')
    await page.getByText('Work', { exact: true }).last().click()
    await checkPage(watched, 'oauth-register')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText(/uses http\. Use https/).waitFor()
    await page.getByLabel('Redirect URIs').fill(`https://planner.example/back\n${new URL(back).href}`)
    await page.getByRole('button', { name: 'Create' }).click()
    const dialog = page.getByRole('dialog', { name: 'Secret of Planner' })
    await confirmIfAsked(page, dialog)
    secret = await dialog.locator('code').first().innerText()
    await dialog.getByLabel('I have stored the secret').check()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('row', { name: /Planner/ }).click()
    const sheet = page.getByRole('dialog', { name: 'Planner', exact: true })
    await sheet.getByText(`${secret.slice(0, 15)}…`).waitFor()
    await settled(page)
    id = (await sheet.getByText(/^app_[0-9A-Z]{26}$/).innerText()).trim()
    await checkPage({ ...watched, errors: watched.errors.filter((text) => !text.includes('400')) }, 'oauth-application')
  })

  it('is allowed by mouse after signing in, and gets a code that it exchanges', async () => {
    const person = await stage.person('member')
    await stage.visit('/', { person })
    const watched = await stage.open()
    const { page } = watched
    const verifier = newVerifier()
    await page.goto(`${stage.url}${address(verifier)}`)
    await page.getByLabel('Email').fill(person.email)
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery staple')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Allow Planner?' }).waitFor()
    const list = page.getByRole('list', { name: 'What it can do' })
    assert.deepEqual(await list.getByRole('listitem').allInnerTexts(), [
      'Read and change: Tasks, filters, templates, exports',
    ])
    assert.ok(await page.getByText(new URL(back).host).isVisible())
    assert.ok(await page.getByText('Acme', { exact: true }).isVisible())
    await settled(page)
    await checkPage(watched, 'oauth-authorize')
    await page.setViewportSize({ width: 390, height: 844 })
    await settled(page)
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'no sideways scrolling')
    await page.getByRole('button', { name: 'Allow' }).click()
    const said = await isBack(page)
    assert.deepEqual([said.get('state'), said.get('iss')], ['st&te=1', stage.url])
    const tokens = await exchange(stage.url, { id, secret }, said.get('code') ?? '', verifier, { redirect_uri: back })
    assert.equal(tokens.body.scope, 'tasks:read tasks:write')
    assert.deepEqual(await stage.lastActor('applications.authorize'), { type: 'user', id: person.user })
  })

  it('is denied by keyboard, and told so', async () => {
    const { page } = await stage.visit(address(newVerifier()))
    await page.getByRole('button', { name: 'Allow' }).focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    const said = await isBack(page)
    assert.deepEqual([said.get('error'), said.get('code')], ['access_denied', null])
  })

  it('is allowed by keyboard, with the password once more when the last time is long ago', async () => {
    stage.later(11 * 60)
    const verifier = newVerifier()
    const { page } = await stage.visit(address(verifier))
    await page.getByRole('button', { name: 'Allow' }).focus()
    await page.keyboard.press('Enter')
    await confirmIdentity(page)
    const code = (await isBack(page)).get('code') ?? ''
    assert.equal((await exchange(stage.url, { id, secret }, code, verifier, { redirect_uri: back })).status, 200)
  })

  it('is not sent back by itself when its request is faulty', async () => {
    const watched = await stage.visit(address(newVerifier(), { scope: 'tasks:fly' }))
    const { page } = watched
    await page.getByText('There is no scope `tasks:fly`.').waitFor()
    await checkPage(watched, 'oauth-faulty')
    await page.getByRole('button', { name: `Back to ${new URL(back).host}` }).click()
    assert.equal((await isBack(page)).get('error'), 'invalid_scope')
  })

  it('is not led to an address that is not registered', async () => {
    const watched = await stage.visit(address(newVerifier(), { redirect_uri: 'https://evil.example/' }))
    const { page } = watched
    await page.getByText(/`https:\/\/evil\.example\/` is not registered/).waitFor()
    assert.equal(await page.getByRole('button', { name: /Allow|Back/ }).count(), 0)
  })

  it('loses its access when the person ends it', async () => {
    const watched = await stage.visit('/settings/security')
    const { page } = watched
    const item = page.getByRole('list', { name: 'Applications with access' }).getByRole('listitem')
    await item.filter({ hasText: 'Planner' }).waitFor()
    await settled(page)
    await checkPage(watched, 'oauth-grants')
    await item.getByRole('button', { name: 'End access' }).click()
    await page
      .getByRole('dialog', { name: 'End the access of Planner?' })
      .getByRole('button', { name: 'End access' })
      .click()
    await page.getByText('None. An application that asks').waitFor()
    assert.deepEqual(await stage.lastActor('oauth_grants.delete'), stage.ownerActor)
  })

  it('asks in German', async () => {
    const { page } = await stage.visit('/')
    await page.evaluate(async () => {
      const { csrf } = await (await fetch('/app/api/session')).json()
      const headers = { 'x-csrf': csrf, 'content-type': 'application/json' }
      await fetch('/app/api/preferences', { method: 'PATCH', headers, body: JSON.stringify({ language: 'de' }) })
    })
    await page.goto(`${stage.url}${address(newVerifier())}`)
    await page.getByRole('heading', { name: 'Planner erlauben?' }).waitFor()
    await page.getByRole('button', { name: 'Erlauben' }).waitFor()
    await page.getByRole('button', { name: 'Ablehnen' }).waitFor()
  })
})
