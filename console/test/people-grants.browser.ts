/** Access of applications, as owners see it: who has allowed what, ended by keyboard; admins do not see it. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { newVerifier, requestOf } from '../../server/test/oauth-client.ts'
import { checkPage, settled } from './checks.ts'
import { confirmIfAsked, type StagePerson, stageOf } from './stage.ts'

const back = 'http://127.0.0.1:9/back'

describe('access of applications, for owners', () => {
  const stage = stageOf()
  let mara: StagePerson
  before(async () => {
    mara = await stage.person('member')
  })

  /** A program that registers itself, as agents do. */
  async function registeredPlanner(): Promise<string> {
    const reply = await fetch(`${stage.url}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Planner', redirect_uris: [back] }),
    })
    assert.equal(reply.status, 201, await reply.clone().text())
    return ((await reply.json()) as { client_id: string }).client_id
  }

  it('lists what a person has allowed, with what it can do', async () => {
    const id = await registeredPlanner()
    const verifier = newVerifier()
    const request = requestOf({ id }, verifier, { redirect_uri: back, scope: 'tasks:read' })
    const { page: hers } = await stage.visit('/', { person: mara })
    const code = await hers.evaluate(async (asked) => {
      const { csrf } = await (await fetch('/app/api/session')).json()
      const headers = { 'x-csrf': csrf, 'content-type': 'application/json' }
      const body = JSON.stringify({ request: asked })
      const reply = await fetch('/app/api/oauth/authorization', { method: 'POST', headers, body })
      return new URL((await reply.json()).location).searchParams.get('code') ?? ''
    }, request)
    const body = new URLSearchParams({
      ...{ grant_type: 'authorization_code', code, code_verifier: verifier, client_id: id, redirect_uri: back },
    })
    const tokens = await fetch(`${stage.url}/oauth/token`, { method: 'POST', body })
    assert.equal(tokens.status, 200, await tokens.clone().text())
    const watched = await stage.visit('/settings/organization')
    const { page } = watched
    const list = page.getByRole('list', { name: 'Applications of people' })
    await list.getByText('Planner · Mara Lindt').waitFor()
    await list.getByText('What it can do').click()
    await list.getByText('Read: Tasks').waitFor()
    await settled(page)
    await checkPage(watched, 'people-grants')
  })

  it('is not shown to admins', async () => {
    const { page } = await stage.visit('/settings/organization', { person: await stage.person('admin', 'Ada') })
    await page.getByRole('heading', { name: 'Sign-in' }).waitFor()
    assert.equal(await page.getByText('Applications of people').count(), 0)
  })

  it('ends by keyboard, and is named in German', async () => {
    const { page } = await stage.visit('/')
    await page.evaluate(async () => {
      const { csrf } = await (await fetch('/app/api/session')).json()
      const headers = { 'x-csrf': csrf, 'content-type': 'application/json' }
      await fetch('/app/api/preferences', { method: 'PATCH', headers, body: JSON.stringify({ language: 'de' }) })
    })
    await page.goto(`${stage.url}/settings/organization`)
    await page.getByRole('heading', { name: 'Anwendungen der Personen' }).waitFor()
    await page.getByRole('button', { name: 'Zugriff beenden' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Zugriff von Planner für Mara Lindt beenden?' })
    await dialog.getByRole('button', { name: 'Zugriff beenden' }).focus()
    await page.keyboard.press('Enter')
    const none = page.getByText('Keine. Was eine Person einer Anwendung erlaubt, steht hier.')
    await confirmIfAsked(page, none)
    await none.waitFor()
    assert.deepEqual(await stage.lastActor('oauth_grants.delete'), stage.ownerActor)
  })
})
