/** What is around every page: navigation, palette, shortcuts, live and test data, live events, errors. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { checkAxe, checkPage, checkQuiet, forgetShifts, settled } from './checks.ts'
import { openStage, owner_email, type Stage } from './stage.ts'

/** What would run if any of it were taken for HTML. */
const hostile = `<img src=x onerror="window.__xss=1"><script>window.__xss=1</script>"'\`{{7*7}}`

describe('the shell', () => {
  let stage: Stage
  before(async () => {
    stage = await openStage()
  })
  after(() => stage.close())

  it('shows an empty organization what to do first', async () => {
    const watched = await stage.signedIn()
    await watched.page.getByRole('heading', { name: 'First steps' }).waitFor()
    await checkPage(watched, 'home-empty')
    await watched.page.getByRole('link', { name: /Invite somebody/ }).click()
    await watched.page.getByRole('heading', { name: 'People', level: 1 }).waitFor()
  })

  it('shows at home what is assigned to me and what has happened, as it happens, with hostile titles as text', async () => {
    const workspace = await stage.atrium.workspaces.create({ title: 'Launch' })
    const project = await stage.atrium.projects.create({ workspace: workspace.id, name: 'Website' })
    const make = (title: string, due_at: number | null) =>
      stage.atrium.tasks.create({
        workspace: workspace.id,
        project: project.id,
        title,
        assignee: stage.owner.user,
        due_at,
      })
    const now = Math.floor(Date.now() / 1000)
    await make('Draft the announcement', now - 3 * 86_400)
    await make(
      'Translate the pricing page into four languages and have each of them read by somebody who speaks it',
      now + 86_400,
    )
    await make(hostile, null)
    const watched = await stage.signedIn()
    const { page } = watched
    const mine = page.getByRole('list', { name: 'My open tasks' })
    await mine.getByText(hostile, { exact: true }).waitFor()
    await checkPage(watched, 'home')
    await make('Came while the page was open', now + 7 * 86_400)
    await mine.getByText('Came while the page was open').waitFor()
    const lines = page.getByRole('list', { name: 'Recent activity' })
    await lines.getByText(/Came while the page was open/).waitFor()
    assert.equal(await page.evaluate(() => '__xss' in window), false)
    await forgetShifts(page)
    await checkQuiet(watched)
  })

  it('goes anywhere by keyboard: the palette, g and a letter, the list of shortcuts', async () => {
    const watched = await stage.signedIn()
    const { page } = watched
    await settled(page)
    await page.keyboard.press('ControlOrMeta+k')
    const palette = page.getByRole('dialog', { name: 'Search or go to' })
    await palette.waitFor()
    await page.keyboard.type('appear')
    await palette.getByRole('option', { name: /Appearance/ }).waitFor()
    await settled(page)
    await checkAxe(page, 'the palette')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Appearance', level: 1 }).waitFor()
    await palette.waitFor({ state: 'detached' })
    await page.keyboard.press('g')
    await page.keyboard.press('h')
    await page.getByRole('heading', { level: 1, name: /^Good/ }).waitFor()
    await page.keyboard.press('?')
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await list.getByText('Go to Settings').waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('s')
    assert.equal(await list.count(), 1, 'keys of the page are silent while a dialog is open')
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'detached' })
    await checkQuiet(watched)
  })

  it('gives the focus back to what opened a dialog', async () => {
    const { page } = await stage.signedIn()
    await page.goto(`${stage.url}/settings/people`)
    const invite = page.getByRole('button', { name: 'Invite' })
    await invite.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    assert.equal(await page.getByLabel('Email').evaluate((field) => field === document.activeElement), true)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.equal(await invite.evaluate((button) => button === document.activeElement), true)
  })

  it('opens any id by the palette, and says where one is unknown', async () => {
    const { page } = await stage.signedIn()
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.insertText(stage.owner.user)
    await page.getByRole('option', { name: `Open ${stage.owner.user}` }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: owner_email }).waitFor()
    await page.goto(`${stage.url}/open/tsk_01ARZ3NDEKTSV4RRFFQ69G5FAV`)
    await page.getByText('Nothing has the id tsk_01ARZ3NDEKTSV4RRFFQ69G5FAV').waitFor()
  })

  it('carries test data along in the address, and shows nothing live there', async () => {
    const watched = await stage.signedIn()
    const { page } = watched
    await page.getByRole('list', { name: 'My open tasks' }).waitFor()
    await page.getByRole('switch', { name: /Test/ }).click()
    await page.waitForURL('**/?mode=test')
    await page.getByText('Nothing is assigned to you').waitFor()
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.waitForURL('**/settings?mode=test')
    await page.getByRole('switch', { name: /Test/ }).click()
    await page.getByRole('link', { name: 'Home' }).click()
    await page.getByRole('list', { name: 'My open tasks' }).waitFor()
    await checkQuiet(watched)
  })

  it('shares one stream among tabs, and another tab takes it over', async () => {
    const { page } = await stage.signedIn(stage.owner, { fresh: true })
    const second = await page.context().newPage()
    const streams: string[] = []
    second.on('request', (request) => {
      if (request.url().includes('/v1/events/stream')) streams.push(request.url())
    })
    await second.goto(stage.url)
    const mine = second.getByRole('list', { name: 'My open tasks' })
    await mine.waitFor()
    const [workspace] = (await stage.atrium.workspaces.list()).data
    const make = (title: string) =>
      stage.atrium.tasks.create({ workspace: workspace?.id ?? '', title, assignee: stage.owner.user, due_at: 1 })
    await make('Seen through the first tab')
    await mine.getByText('Seen through the first tab').waitFor()
    assert.deepEqual(streams, [], 'the second tab must not open a stream of its own')
    await page.close()
    await make('Seen by itself')
    await mine.getByText('Seen by itself').waitFor()
    assert.equal(streams.length, 1)
  })

  it('answers an unknown path with a page that helps', async () => {
    const watched = await stage.signedIn()
    await watched.page.goto(`${stage.url}/settings/nothing/here`)
    await watched.page.getByText('There is no such page').waitFor()
    await checkPage(watched, 'not-found')
  })

  it('is used at 360 pixels with the navigation behind a button', async () => {
    const watched = await stage.signedIn()
    const { page } = watched
    await page.setViewportSize({ width: 360, height: 780 })
    await page.getByRole('button', { name: 'Navigation' }).click()
    const sheet = page.getByRole('dialog', { name: 'Navigation' })
    await sheet.getByRole('link', { name: 'Settings' }).waitFor()
    await settled(page)
    await checkAxe(page, 'the navigation')
    await page.screenshot({ path: new URL('../../.cache/console/navigation-360.png', import.meta.url).pathname })
    await sheet.getByRole('link', { name: 'Settings' }).click()
    await sheet.waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'Profile', level: 1 }).waitFor()
    await page.setViewportSize({ width: 1440, height: 900 })
  })
})
