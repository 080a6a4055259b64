/** The frame of every page: navigation, palette, shortcuts, test data, live events, unknown paths. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { Atrium } from '../../sdk/typescript/src/index.ts'
import { found } from '../../server/src/cli/founding.ts'
import { createOperatorLink } from '../../server/src/console/links/create-operator-link.ts'
import { addMember } from '../../server/src/resources/members/write.ts'
import { checkAxe, checkNoScriptRan, checkPage, checkQuiet, forgetShifts, settled, withoutStatus } from './checks.ts'
import { owner_email, password, stageOf } from './stage.ts'

/** Would run as a script if a page took it for HTML or for a template. */
const hostile = `<img src=x onerror="window.__xss=1"><script>window.__xss=1</script>"'\`{{7*7}}`

describe('the shell', () => {
  const stage = stageOf()

  it('offers first steps in an empty organization', async () => {
    const watched = await stage.signedIn()
    await watched.page.getByRole('heading', { name: 'Getting started' }).waitFor()
    await checkPage(watched, 'home-empty')
    await watched.page.getByRole('link', { name: /Invite people/ }).click()
    await watched.page.getByRole('heading', { name: 'People', level: 1 }).waitFor()
  })

  it('shows my tasks and recent activity live, with hostile titles as text', async () => {
    const workspace = await stage.atrium.workspaces.create({ title: 'Launch' })
    const project = await stage.atrium.projects.create({ workspace: workspace.id, name: 'Website' })
    const assignTask = (title: string, due_at: number | null) =>
      stage.atrium.tasks.create({
        workspace: workspace.id,
        project: project.id,
        title,
        assignee: stage.owner.user,
        due_at,
      })
    const now = Math.floor(Date.now() / 1000)
    await assignTask('Draft the announcement', now - 3 * 86_400)
    await assignTask(
      'Translate the pricing page into four languages and have each of them reviewed by a native speaker',
      now + 86_400,
    )
    await assignTask(hostile, null)
    const watched = await stage.signedIn()
    const { page } = watched
    const mine = page.getByRole('list', { name: 'My open tasks' })
    await mine.getByText(hostile, { exact: true }).waitFor()
    await checkPage(watched, 'home')
    await assignTask('Created while the page was open', now + 7 * 86_400)
    await mine.getByText('Created while the page was open').waitFor()
    const activity = page.getByRole('list', { name: 'Recent activity' })
    await activity.getByText(/Created while the page was open/).waitFor()
    await checkNoScriptRan(page)
    await forgetShifts(page)
    await checkQuiet(watched)
  })

  it('keeps favorites at hand in every browser, by their present name, and none that is gone', async () => {
    const workspace = await stage.atrium.workspaces.create({ title: 'Favorites' })
    const project = await stage.atrium.projects.create({ workspace: workspace.id, name: 'Spring fair' })
    const board = await stage.atrium.boards.create({ project: project.id, name: 'Stalls' })
    const first = await stage.visit(`/work/projects/${project.id}`, { fresh: true })
    const favorites = (page: Page) => page.getByRole('list', { name: 'Favorites' }).getByRole('link')
    const shows = async (page: Page, names: readonly string[]) => {
      await page.waitForFunction((expected) => {
        const links = document.querySelectorAll('nav section:has(h2) ul a')
        return JSON.stringify([...links].map((link) => link.textContent)) === expected
      }, JSON.stringify(names))
    }
    await first.page.getByRole('button', { name: 'Add to favorites' }).click()
    await first.page.getByRole('button', { name: 'Remove from favorites' }).waitFor()
    await shows(first.page, ['Spring fair'])
    await first.page.goto(`${stage.url}/boards/${board.id}`)
    await first.page.getByRole('button', { name: 'Add to favorites' }).press('Enter')
    await shows(first.page, ['Spring fair', 'Stalls'])
    await checkPage(first, 'favorites')
    const second = await stage.visit('/my-work', { fresh: true })
    await shows(second.page, ['Spring fair', 'Stalls'])
    await stage.atrium.projects.update(project.id, { name: 'Summer fair' })
    await shows(second.page, ['Summer fair', 'Stalls'])
    await favorites(second.page).first().click()
    await second.page.getByRole('heading', { name: 'Summer fair', level: 1 }).waitFor()
    await second.page.getByRole('button', { name: 'Remove from favorites' }).click()
    await shows(second.page, ['Stalls'])
    await second.page.reload()
    await shows(second.page, ['Stalls'])
  })

  it('orders favorites by keyboard and by dragging, for all browsers, and shows no heading above none', async () => {
    const workspace = await stage.atrium.workspaces.create({ title: 'Order' })
    const ids: string[] = []
    for (const name of ['Bow', 'Deck', 'Mast']) {
      ids.push((await stage.atrium.projects.create({ workspace: workspace.id, name })).id)
    }
    const person = await stage.person('member', 'Rita', 'Voss')
    const { page } = await stage.visit('/my-work', { person, fresh: true })
    await page.evaluate(async (live) => {
      const { csrf } = await (await fetch('/app/api/session')).json()
      const headers = { 'x-csrf': csrf, 'content-type': 'application/json' }
      const body = JSON.stringify({ favorites: { live } })
      await fetch('/app/api/preferences', { method: 'PATCH', headers, body })
    }, ids)
    await page.reload()
    const links = page.getByRole('list', { name: 'Favorites' }).getByRole('link')
    const shows = (...names: string[]) =>
      page.waitForFunction(
        (expected) =>
          [...document.querySelectorAll('[data-favorite]')].map((each) => each.textContent).join() === expected,
        names.join(),
      )
    await shows('Bow', 'Deck', 'Mast')
    await links.first().focus()
    for (const _ of [1, 2]) await page.keyboard.press('Alt+ArrowDown')
    await shows('Deck', 'Mast', 'Bow')
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Bow')
    await page.keyboard.press('Alt+ArrowUp')
    await shows('Deck', 'Bow', 'Mast')
    await links.getByText('Mast').dragTo(links.getByText('Deck'), { targetPosition: { x: 10, y: 2 } })
    await shows('Mast', 'Deck', 'Bow')
    const second = await stage.visit('/my-work', { person, fresh: true })
    await second.page.getByRole('list', { name: 'Favorites' }).getByRole('link').nth(2).waitFor()
    assert.deepEqual(await second.page.locator('[data-favorite]').allInnerTexts(), ['Mast', 'Deck', 'Bow'])
    for (const id of ids) await stage.atrium.projects.delete(id)
    await page.reload()
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Work', exact: true }).waitFor()
    await settled(page)
    await page.getByRole('heading', { name: 'Favorites' }).waitFor({ state: 'hidden' })
  })

  it('marks the project, not all tasks, while a layout of one project is open', async () => {
    const workspace = await stage.atrium.workspaces.create({ title: 'Here' })
    const { id } = await stage.atrium.projects.create({ workspace: workspace.id, name: 'Dry dock' })
    const { page } = await stage.visit(`/work/projects/${id}`)
    const marked = (name: string) =>
      page.getByRole('navigation', { name: 'Main' }).locator('[aria-current="page"]', { hasText: name })
    await marked('Projects').waitFor()
    await page.getByRole('button', { name: 'Add to favorites' }).click()
    for (const layout of ['List', 'Calendar', 'Timeline', 'Whiteboards']) {
      await page.getByRole('navigation', { name: 'Layout' }).getByRole('link', { name: layout }).click()
      await page.getByRole('navigation', { name: 'Layout' }).locator('[aria-current]', { hasText: layout }).waitFor()
      await marked('Projects').waitFor()
      await marked('Dry dock').waitFor()
      assert.equal(await page.locator('.sidebar [aria-current="page"]').count(), 2)
    }
    await page.goto(`${stage.url}/work/projects/${id}`)
    await page.getByRole('button', { name: 'Remove from favorites' }).click()
    await page.getByRole('button', { name: 'Add to favorites' }).waitFor()
    await page.goto(`${stage.url}/work/tasks`)
    await marked('Tasks').waitFor()
  })

  it('reaches every page by keyboard: the palette, g and a letter, the list of shortcuts', async () => {
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
    assert.equal(await list.count(), 1, 'an open dialog disables the keys of the page')
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'detached' })
    await checkQuiet(watched)
  })

  it('loses no letter typed right after the keys of the palette, before the page and the palette are there', async () => {
    const { page } = await stage.visit('/', { fresh: true })
    const field = page.getByRole('combobox', { name: 'Search or go to' })
    for (const slow of ['**/assets/palette-*.js', '**/app/api/session']) {
      const asked = Promise.withResolvers<void>()
      const typed = Promise.withResolvers<void>()
      await page.route(slow, async (route) => {
        asked.resolve()
        await typed.promise
        await route.continue()
      })
      await page.goto(`${stage.url}/`, { waitUntil: 'domcontentloaded' })
      if (slow.includes('palette')) await settled(page)
      else await page.locator('.starting').waitFor()
      await page.keyboard.press('ControlOrMeta+k')
      await asked.promise
      await page.keyboard.type('gt appeax')
      await page.keyboard.press('Backspace')
      typed.resolve()
      await field.waitFor()
      await page.keyboard.type('r')
      await page.waitForFunction(
        () => document.querySelector<HTMLInputElement>('.palette input')?.value === 'gt appear',
      )
      assert.equal(new URL(page.url()).pathname, '/')
      await page.keyboard.press('Escape')
      await page.unroute(slow)
    }
  })

  it('returns the focus to the button that opened a dialog', async () => {
    const { page } = await stage.signedIn()
    await page.goto(`${stage.url}/settings/people`)
    const invite = page.getByRole('button', { name: 'Invite' })
    await invite.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    assert.equal(await page.getByLabel('Email').evaluate((field) => field === document.activeElement), true)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.waitForFunction((button) => button === document.activeElement, await invite.elementHandle())
  })

  it('opens any id from the palette and reports an unknown one', async () => {
    const { page } = await stage.signedIn()
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.insertText(stage.owner.user)
    await page.getByRole('option', { name: `Open ${stage.owner.user}` }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: owner_email }).waitFor()
    await page.goto(`${stage.url}/open/tsk_01ARZ3NDEKTSV4RRFFQ69G5FAV`)
    await page.getByText('Nothing found for tsk_01ARZ3NDEKTSV4RRFFQ69G5FAV').waitFor()
  })

  it('keeps the test mode in the URL and shows no live data in it', async () => {
    const watched = await stage.signedIn()
    const { page } = watched
    await page.getByRole('list', { name: 'My open tasks' }).waitFor()
    assert.equal(await page.getByRole('switch', { name: /Test/ }).count(), 0)
    await page.getByRole('link', { name: 'Developers' }).click()
    await page.getByRole('switch', { name: /Test/ }).click()
    await page.waitForURL('**/developers?mode=test')
    await page.getByRole('link', { name: 'Home' }).click()
    await page.getByText('No tasks assigned to you').waitFor()
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.waitForURL('**/settings?mode=test')
    await page.getByRole('switch', { name: /Test/ }).click()
    await page.getByRole('link', { name: 'Home' }).click()
    await page.getByRole('list', { name: 'My open tasks' }).waitFor()
    await checkQuiet(watched)
  })

  it('shares one event stream among tabs; another tab takes it over', async () => {
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
    const assignTask = (title: string) =>
      stage.atrium.tasks.create({ workspace: workspace?.id ?? '', title, assignee: stage.owner.user, due_at: 1 })
    await assignTask('Seen through the first tab')
    await mine.getByText('Seen through the first tab').waitFor()
    assert.deepEqual(streams, [], 'the second tab must not open a second stream')
    await page.close()
    await assignTask('Seen by itself')
    await mine.getByText('Seen by itself').waitFor()
    assert.equal(streams.length, 1)
  })

  it('opens a link to one’s second organization after saying which one it is', async () => {
    const { services } = stage.server
    const second = await found(services, {
      name: 'Globex',
      ownerEmail: 'owner@globex.example',
      plan: 'enterprise',
      domains: [],
    })
    const theirs = new Atrium({ apiKey: second.api_key.secret, baseUrl: stage.url })
    const { id: workspace } = await theirs.workspaces.create({ title: 'Docks' })
    const task = await theirs.tasks.create({ workspace, title: 'Paint the north dock' })
    await addMember(services, second.organization, { email: owner_email })
    const link = await createOperatorLink(services, { organization: second.organization, email: owner_email })
    const watched = await stage.signedIn(stage.owner, { fresh: true })
    const { page } = watched
    await page.goto(link.url)
    await page.getByLabel('New password').fill(password)
    await page.keyboard.press('Enter')
    const organization = page.getByRole('button', { name: 'Globex', exact: true })
    await page.getByRole('list', { name: 'Recent activity' }).getByText('Paint the north dock').first().waitFor()
    // A page that is opened while the session changes is read after it.
    const answered = Promise.withResolvers<void>()
    const shown = Promise.withResolvers<void>()
    await page.route('**/app/api/session/organization', async (route) => {
      const response = await route.fetch()
      answered.resolve()
      await shown.promise
      await route.fulfill({ response })
    })
    await organization.click()
    await page.getByRole('menuitemcheckbox', { name: 'Acme' }).click()
    await answered.promise
    await page.getByRole('link', { name: 'Work', exact: true }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Work' }).waitFor()
    shown.resolve()
    await page.getByRole('button', { name: 'Acme', exact: true }).waitFor()
    await page.unroute('**/app/api/session/organization')

    await page.goto(`${stage.url}/work/tasks/${task.id}`)
    await page.getByText('It belongs to your organization Globex.').waitFor()
    await checkAxe(page, 'other-organization')
    await page.getByRole('button', { name: 'Open in Globex' }).click()
    await page.getByRole('heading', { name: 'DOC-1 Paint the north dock' }).waitFor()
    assert.equal(new URL(page.url()).pathname, `/work/tasks/${task.id}`)
    await organization.waitFor()

    // A list has no id in its address, and a key may exist in both organizations.
    const ownTasks = page.getByRole('list', { name: 'Tasks' })
    await page.getByRole('link', { name: 'Work', exact: true }).first().click()
    await page.getByRole('link', { name: 'Tasks', exact: true }).click()
    await ownTasks.getByText('Paint the north dock').waitFor()
    const shared = page.url()
    assert.equal(new URL(shared).searchParams.get('organization'), second.organization)
    await organization.click()
    await page.getByRole('menuitemcheckbox', { name: 'Acme' }).click()
    await page.getByRole('button', { name: 'Acme', exact: true }).waitFor()
    assert.equal(new URL(page.url()).searchParams.get('organization'), stage.organization)
    await page.goto(`${shared}&filter=${encodeURIComponent('title:dock')}`)
    await page.getByText('This page belongs to Globex').waitFor()
    await checkAxe(page, 'linked-organization')
    await page.getByRole('button', { name: 'Stay in Acme' }).click()
    await page.getByText('No tasks match').waitFor()
    await page.goto(`${shared}&filter=${encodeURIComponent('title:dock')}`)
    await page.getByRole('button', { name: 'Continue in Globex' }).click()
    await ownTasks.getByText('Paint the north dock').waitFor()
    await page.goBack()
    await page.getByText('This page belongs to Acme').waitFor()
    await page.goForward()
    await ownTasks.getByText('Paint the north dock').waitFor()
    await page.goto(`${stage.url}/work/tasks?organization=org_00000000000000000000000000`)
    await page.getByText('You are not a member of this link’s organization').waitFor()
    await checkQuiet({ ...watched, errors: withoutStatus(watched.errors, 404) })
  })

  it('shows a page with links for an unknown path', async () => {
    const watched = await stage.signedIn()
    await watched.page.goto(`${stage.url}/settings/nothing/here`)
    await watched.page.getByText('This page does not exist').waitFor()
    await checkPage(watched, 'not-found')
  })

  it('opens the navigation by a button at 360 pixels', async () => {
    const watched = await stage.signedIn()
    const { page } = watched
    await page.setViewportSize({ width: 360, height: 780 })
    await page.getByRole('button', { name: 'Navigation' }).click()
    const sheet = page.getByRole('dialog', { name: 'Navigation' })
    await sheet.getByRole('link', { name: 'Settings' }).waitFor()
    await settled(page)
    await checkAxe(page, 'the navigation')
    await sheet.getByRole('link', { name: 'Settings' }).click()
    await sheet.waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'Profile', level: 1 }).waitFor()
    await page.setViewportSize({ width: 1440, height: 900 })
  })
})
