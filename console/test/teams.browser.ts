/** Teams: made and filled by mouse and by keyboard, on a phone and on a desk, and used in filters and to find assignees. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { checkPage, forgetShifts, settled } from './checks.ts'
import { openStage, type Stage, type StagePerson } from './stage.ts'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const

describe('teams', () => {
  let stage: Stage
  let mara: StagePerson
  let kofi: StagePerson
  before(async () => {
    stage = await openStage()
    mara = await stage.person('member')
    kofi = await stage.person('member', 'Kofi', 'Mensah')
    const workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
    await stage.atrium.tasks.create({ workspace, title: 'Draw the decks', assignee: mara.user })
    await stage.atrium.tasks.create({ workspace, title: 'Price the seats', assignee: kofi.user })
    await stage.atrium.tasks.create({ workspace, title: 'Call the port' })
  })
  after(() => stage.close())

  const people = (page: Page, team: string) => page.getByRole('list', { name: `People of ${team}` })
  const usersOf = async (team: string): Promise<string[]> => {
    const { data } = await stage.atrium.teams.members.list(team)
    return data.map(({ user }) => user).sort()
  }

  it('are made by keyboard and get people, whom the API and other pages show at once', async () => {
    const watched = await stage.visit('/settings/teams')
    const { page } = watched
    await page.getByText('No teams yet').waitFor()
    await settled(page)
    await checkPage(watched, 'teams-none')
    await page.getByRole('button', { name: 'New team' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'New team' }).getByLabel('Name').waitFor()
    await page.keyboard.type('Design')
    await page.keyboard.press('Tab')
    await page.keyboard.type('What passengers see.')
    await page.keyboard.press('Control+Enter')
    await page.getByText('No people yet.').waitFor()
    const [team] = (await stage.atrium.teams.list()).data
    assert.deepEqual([team?.name, team?.description], ['Design', 'What passengers see.'])
    await page.getByRole('button', { name: 'Add a person' }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('Mara')
    await page.getByRole('option', { name: /^Mara Lindt/ }).waitFor()
    await page.keyboard.press('Enter')
    await people(page, 'Design').getByText('Mara Lindt').waitFor()
    assert.deepEqual(await usersOf(team?.id ?? ''), [mara.user])
    assert.deepEqual(await stage.lastActor('teams.update'), stage.ownerActor)
    await settled(page)
    await checkPage(watched, 'teams-sheet')
    await stage.atrium.teams.members.create(team?.id ?? '', { user: kofi.user })
    await people(page, 'Design').getByText('Kofi Mensah').waitFor()
    await page.getByRole('button', { name: 'Remove Kofi Mensah' }).click()
    await people(page, 'Design').getByText('Kofi Mensah').waitFor({ state: 'detached' })
    assert.deepEqual(await usersOf(team?.id ?? ''), [mara.user])
  })

  it('select the tasks of their people in the filter of the list and find people to assign', async () => {
    const watched = await stage.visit('/work/tasks')
    const { page } = watched
    await page.getByText('3 tasks', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Add filter' }).click()
    const option = (name: string) => page.getByRole('listbox').getByRole('option', { name, exact: true })
    await option('Team').click()
    await option('is').click()
    await option('Design').click()
    await page.getByText('1 task', { exact: true }).waitFor()
    assert.equal(new URL(page.url()).searchParams.get('filter'), 'team = "Design"')
    await page.getByRole('group', { name: 'Team is Design' }).waitFor()
    await page.getByText('Draw the decks').first().waitFor()
    await settled(page)
    await checkPage(watched, 'teams-filter')
    await page.goto(`${stage.url}/work/board?${new URLSearchParams({ filter: 'team = "Design"' })}`)
    await page.getByText('Draw the decks').first().waitFor()
    assert.equal(await page.getByText('Price the seats').count(), 0)

    const [call] = (await stage.atrium.tasks.list({ filter: '"Call the port"' })).data
    await page.goto(`${stage.url}/work/tasks/${call?.key}`)
    await page
      .getByRole('button', { name: /^Assignee/ })
      .first()
      .click()
    await page.keyboard.type('Design')
    await page.getByRole('option', { name: /^Mara Lindt/ }).waitFor()
    assert.equal(await page.getByRole('option', { name: /^Kofi/ }).count(), 0)
    await page.keyboard.press('Escape')
  })

  it('are mentioned beside people, show their present name in texts, and reach the inboxes of their people', async () => {
    const [team] = (await stage.atrium.teams.list()).data
    const [call] = (await stage.atrium.tasks.list({ filter: '"Call the port"' })).data
    const watched = await stage.visit(`/work/tasks/${call?.key}`)
    const { page } = watched
    await page.getByRole('button', { name: 'Add description' }).click()
    await page.getByRole('textbox', { name: 'Description', exact: true }).and(page.locator(':focus')).waitFor()
    await page.keyboard.type('Ask @desi')
    const choice = page.getByRole('listbox', { name: 'People and teams' }).getByRole('option')
    await choice.waitFor()
    assert.deepEqual(
      (await choice.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ')),
      ['Design Team · 1 person'],
    )
    await settled(page)
    await checkPage(watched, 'teams-mention-choice')
    await page.keyboard.press('Enter')
    await page.keyboard.type('or @desi')
    await choice.click()
    const shown = (name: string) => page.locator('.markdown-person', { hasText: name })
    assert.deepEqual(await shown('@Design').allInnerTexts(), ['@Design', '@Design'])
    await checkPage(watched, 'teams-mention-editor')
    await page.keyboard.press('ControlOrMeta+Enter')
    await page.getByRole('button', { name: 'Edit description' }).waitFor()
    const { description, mentions } = await stage.atrium.tasks.retrieve(call?.id ?? '')
    const chip = `[@Design](atrium:${team?.id})`
    assert.deepEqual([description?.trim(), mentions], [`Ask ${chip} or ${chip}`, [team?.id]])
    assert.deepEqual(await shown('@Design').allInnerTexts(), ['@Design', '@Design'])
    // The text that was saved takes the place of the taller editor.
    await forgetShifts(page)
    await checkPage(watched, 'teams-mention-reader')
    const hersWatched = await stage.visit('/inbox', { person: mara })
    const { page: hers } = hersWatched
    await hers.getByText('mentioned your team Design').waitFor()
    await settled(hers)
    await checkPage(hersWatched, 'teams-mention-inbox')

    const rename = await stage.visit('/settings/teams', { fresh: true })
    await rename.page.getByRole('link', { name: 'Design' }).click()
    await rename.page.getByRole('button', { name: 'Edit', exact: true }).click()
    await rename.page.getByRole('dialog', { name: 'Edit team' }).getByLabel('Name').fill('Shapes')
    await rename.page.getByRole('dialog', { name: 'Edit team' }).getByRole('button', { name: 'Save' }).click()
    await shown('@Shapes').first().waitFor()
    await hers.getByText('mentioned your team Shapes').waitFor()
    const made = await stage.atrium.tasks.create({ workspace: call?.workspace ?? '', title: 'Old crew' })
    const deleted = await rename.page.evaluate(async () => {
      const { csrf } = await (await fetch('/app/api/session')).json()
      const headers = { 'x-csrf': csrf, 'content-type': 'application/json' }
      const sent = async (method: string, path: string, body?: object) => {
        const sentBody = body === undefined ? {} : { body: JSON.stringify(body) }
        return await (await fetch(`/app/api/${path}`, { method, headers, ...sentBody })).json()
      }
      const { id } = await sent('POST', 'teams', { name: 'Crew' })
      await sent('PATCH', `teams/${id}`, { name: 'Sailors' })
      const { deleted: isDeleted } = await sent('DELETE', `teams/${id}`)
      if (isDeleted !== true) throw new Error('the team was not deleted')
      return id
    })
    await stage.atrium.tasks.update(made.id, { description: `[@Crew](atrium:${deleted})` })
    await page.goto(`${stage.url}/work/tasks/${made.key}`)
    await shown('@Sailors').waitFor()
    await rename.page.getByRole('button', { name: 'Edit', exact: true }).click()
    await rename.page.getByRole('dialog', { name: 'Edit team' }).getByLabel('Name').fill('Design')
    await rename.page.getByRole('dialog', { name: 'Edit team' }).getByRole('button', { name: 'Save' }).click()
    await hers.getByText('mentioned your team Design').waitFor()
  })

  it('are changed with a thumb, and deleted after a question', async () => {
    const { page } = await stage.visit('/settings/teams', { fresh: true, options: phone })
    await page.getByRole('link', { name: 'Design' }).tap()
    await page.getByRole('button', { name: 'Add a person' }).tap()
    await page.getByRole('option', { name: /^Kofi Mensah/ }).tap()
    await people(page, 'Design').getByText('Kofi Mensah').waitFor()
    await page.getByRole('button', { name: 'Edit', exact: true }).tap()
    await page.getByRole('dialog', { name: 'Edit team' }).getByLabel('Name').fill('Shape')
    await page.getByRole('dialog', { name: 'Edit team' }).getByRole('button', { name: 'Save' }).tap()
    await people(page, 'Shape').getByText('Kofi Mensah').waitFor()
    await page.getByRole('button', { name: 'Delete', exact: true }).tap()
    await page.getByText('Its people and their tasks stay.').waitFor()
    await page.getByRole('dialog', { name: 'Delete Shape?' }).getByRole('button', { name: 'Delete' }).tap()
    await page.getByText('No teams yet').waitFor()
    assert.deepEqual((await stage.atrium.teams.list()).data, [])
  })

  it('are read by members, who change nothing, and are in German', async () => {
    const headers = { authorization: `Bearer ${stage.key}`, 'content-type': 'application/json' }
    assert.equal((await fetch(`${stage.url}/v1/teams`, { headers })).status, 200)
    const { page: owner } = await stage.visit('/settings/teams')
    await owner.getByRole('button', { name: 'New team' }).click()
    await owner.getByRole('dialog', { name: 'New team' }).getByLabel('Name').fill('Sales')
    await owner.getByRole('dialog', { name: 'New team' }).getByRole('button', { name: 'Create' }).click()
    await owner.getByText('No people yet.').waitFor()
    const { page } = await stage.visit('/settings/teams', { person: mara })
    await page.getByRole('link', { name: 'Sales' }).click()
    await page.getByText('No people yet.').waitFor()
    for (const name of ['New team', 'Add a person', 'Edit', 'Delete'])
      assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name)
    await page.evaluate(async () => {
      const { csrf } = await (await fetch('/app/api/session')).json()
      const headers = { 'x-csrf': csrf, 'content-type': 'application/json' }
      await fetch('/app/api/preferences', { method: 'PATCH', headers, body: JSON.stringify({ language: 'de' }) })
    })
    await page.goto(`${stage.url}/settings/teams`)
    await page
      .getByText('nach ihnen werden Aufgaben gefiltert', { exact: false })
      .or(page.getByText('Gruppen von Personen'))
      .first()
      .waitFor()
    await page.getByRole('link', { name: /^Posteingang/ }).click()
    await page.getByText('hat dein Team Shape erwähnt').waitFor()
  })
})
