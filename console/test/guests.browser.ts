/** A guest: invited to one project, sees it and nothing else, and loses it when it is taken away. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { settled } from './checks.ts'
import { activateFlow, makeFlow } from './flows.ts'
import { confirmIfAsked, password, type Stage, stageOf } from './stage.ts'

describe('a guest', () => {
  const stage = stageOf()
  let watched: Awaited<ReturnType<Stage['open']>>
  let page: Page
  let own: { id: string; task: { id: string; key: string } }
  let other: { id: string; key: string }
  before(async () => {
    const { atrium } = stage
    const { id: workspace } = await atrium.workspaces.create({ title: 'Shipyard' })
    const make = async (name: string, title: string) => {
      const { id: project } = await atrium.projects.create({ workspace, name })
      await atrium.columns.create({ workspace, project, name: 'Doing' })
      const task = await atrium.tasks.create({ workspace, project, title, assignee: stage.owner.user })
      await atrium.boards.create({ name: `Sketch of ${name}`, project })
      return { id: project, task }
    }
    own = await make('Hull for the client', 'Weld the keel')
    other = (await make('Secret engine', 'Weld the secret engine')).task
  })

  it('is invited to a project that is chosen in the invitation', async () => {
    const { page: people } = await stage.visit('/settings/people')
    await people.getByRole('button', { name: 'Invite' }).click()
    const dialog = people.getByRole('dialog', { name: 'Invite a person' })
    await dialog.getByLabel('Email').fill('gus@client.example')
    await dialog.getByLabel('First name').fill('Gus')
    await dialog.getByLabel('Last name').fill('Client')
    await dialog.getByRole('radio', { name: /Guest/ }).check()
    await dialog.getByLabel('Projects').click()
    await people.getByRole('option', { name: 'Hull for the client' }).click()
    await people.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'Create invitation' }).click()
    const link = people.getByText(/\/invite#/)
    await confirmIfAsked(people, link)
    const url = ((await link.textContent()) ?? '').trim()
    watched = await stage.open()
    page = watched.page
    await page.goto(url.replace(stage.server.url, stage.url))
    await page
      .getByLabel(/password/i)
      .first()
      .fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    await people.getByRole('button', { name: 'Done' }).click()
    await people.getByRole('row', { name: /Gus Client.*Guest/ }).waitFor()
  })

  it('finds in the navigation only what is open, and every page of it without a refusal', async () => {
    const nav = page.getByRole('navigation', { name: 'Main' })
    const seen = new Set<string>()
    for (const path of ['/', '/work', '/boards', '/settings']) {
      await page.goto(`${stage.url}${path}`)
      await nav.getByRole('link').first().waitFor()
      for (const href of await nav.getByRole('link').evaluateAll((all) => all.map((a) => a.getAttribute('href') ?? '')))
        seen.add(href)
    }
    for (const closed of ['/money', '/automations', '/developers', '/work/reports', '/work/import', '/settings/people'])
      assert.ok(!seen.has(closed), closed)
    assert.ok(seen.has('/inbox') && seen.has('/work/tasks') && seen.has('/settings/profile'))
    for (const path of [
      ...seen,
      `/work/projects/${own.id}`,
      `/work/tasks/${own.task.key}`,
      `/work/projects/${own.id}/whiteboards`,
    ]) {
      for (const list of [watched.errors, watched.foreign, watched.violations]) list.length = 0
      await page.goto(`${stage.url}${path}`)
      await page.locator('h1').first().waitFor({ state: 'attached' })
      await settled(page)
      assert.deepEqual(watched.errors, [], path)
      assert.equal(await page.getByText(/secret/i).count(), 0, path)
    }
    for (const path of ['/money', '/settings/people', `/work/tasks/${other.key}`]) {
      await page.goto(`${stage.url}${path}`)
      await page
        .getByText(/not found|no such task/i)
        .first()
        .waitFor()
    }
  })

  it('works on a task of the project: comments, changes and completes it, and finds nothing else by searching', async () => {
    await page.goto(`${stage.url}/work/projects/${own.id}?task=${own.task.key}`)
    const panel = page.getByRole('dialog', { name: /Weld the keel/ })
    await panel.getByRole('textbox', { name: /comment/i }).fill('The keel is too short')
    await panel.getByRole('button', { name: 'Comment', exact: true }).click()
    await panel.getByText('Gus Client').first().waitFor()
    await panel.getByRole('button', { name: 'Complete', exact: true }).click()
    await panel.getByRole('button', { name: 'Reopen', exact: true }).waitFor()
    await settled(page)
    assert.equal((await stage.atrium.tasks.retrieve(own.task.id)).status, 'done')
    await page.goto(`${stage.url}/search?query=weld`)
    await page.getByText('Weld the keel').first().waitFor()
    await settled(page)
    assert.equal(await page.getByText(/secret/i).count(), 0)
  })

  it('reads who wrote a comment, also if it was an automation, whose name is closed', async () => {
    const { atrium } = stage
    const { workspace } = await atrium.tasks.retrieve(own.task.id)
    const flow = await makeFlow(atrium, { workspace }, 'Secret reminder', {
      schema_version: 4,
      nodes: [
        {
          id: 'start',
          type: 'trigger.event',
          config: { event_types: ['workflow.task.updated'], changed_fields: ['priority'] },
        },
        { id: 'say', type: 'task.comment', config: { body: 'Remember the rivets' } },
      ],
      edges: [{ source: 'start', target: 'say' }],
    })
    await activateFlow(atrium, { workspace, task: own.task.id }, flow)
    await atrium.tasks.update(own.task.id, { priority: 'high' })
    await page.goto(`${stage.url}/work/tasks/${own.task.key}`)
    const comment = page.getByRole('list', { name: 'Comments' }).getByRole('listitem').filter({ hasText: 'rivets' })
    await comment.first().getByText('Automation', { exact: true }).waitFor()
    assert.equal(await page.getByText(/flow_|secret/i).count(), 0)
  })

  it('loses the project when another one is chosen', async () => {
    const { page: people } = await stage.visit('/settings/people')
    await people
      .getByRole('link', { name: /Gus Client/ })
      .first()
      .click()
    const sheet = people.getByRole('dialog', { name: 'Gus Client' })
    await sheet.getByRole('button', { name: 'Change' }).click()
    const dialog = people.getByRole('dialog', { name: 'Projects of Gus Client' })
    await dialog.getByLabel('Projects').click()
    await people.getByRole('option', { name: 'Hull for the client' }).click()
    await people.getByRole('option', { name: 'Secret engine' }).click()
    await people.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await confirmIfAsked(people, people.getByText('Projects of Gus Client changed'))
    await people.getByText('Projects of Gus Client changed').waitFor()
    await page.goto(`${stage.url}/work/projects/${own.id}`)
    await page
      .getByText(/not found|no such project/i)
      .first()
      .waitFor()
    await page.goto(`${stage.url}/work/tasks/${other.key}`)
    await page.getByText('Weld the secret engine').first().waitFor()
  })
})
