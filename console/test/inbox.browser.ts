/** The inbox by keyboard, and rows swiped by a finger on a phone: entries of the inbox and tasks of a list. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import type { Task } from '../../sdk/typescript/src/index.ts'
import { checkPage, forgetShifts, settled } from './checks.ts'
import { stageOf } from './stage.ts'

describe('the inbox', () => {
  const stage = stageOf()
  let workspace: string
  before(async () => {
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
  })

  const assign = (title: string): Promise<Task> =>
    stage.atrium.tasks.create({ workspace, title, assignee: stage.owner.user })
  const row = (page: Page, { key }: Task) => page.locator('.inbox-group', { hasText: key })
  const unread = (page: Page) => page.locator('.inbox-group[data-unread] .inbox-key').allInnerTexts()

  it('is worked through by keyboard: next, read, unread, put off, muted', async () => {
    const first = await assign('Repair the crane')
    const watched = await stage.visit('/inbox')
    const { page } = watched
    await row(page, first).waitFor()
    await settled(page)
    await checkPage(watched, 'inbox')
    const second = await assign('Paint the pier')
    await row(page, second).waitFor()
    await page.keyboard.press('j')
    await page.getByRole('heading', { name: 'Paint the pier (edit title)' }).waitFor()
    await page.keyboard.press('Escape')
    await row(page, second).locator('.inbox-open').focus()
    assert.deepEqual(
      (await unread(page)).map((key) => key.trim()),
      [first.key],
    )
    await page.keyboard.press('u')
    await page.getByRole('button', { name: `Mark read: ${second.title}` }).waitFor()
    await page.keyboard.press('e')
    await page.getByRole('button', { name: `Mark unread: ${second.title}` }).waitFor()
    await page.keyboard.press('h')
    await page.getByText('Put off until tomorrow morning').waitFor()
    await row(page, second).waitFor({ state: 'detached' })
    await row(page, first).locator('.inbox-open').focus()
    await page.keyboard.press('m')
    await page.getByText(`${first.key} is muted`).waitFor()
    await page.getByRole('button', { name: 'Snoozed', exact: true }).click()
    await row(page, second).waitFor()
  })

  it('is walked by j and k past what has a page of its own, which Enter opens; e marks read, also beside an open task', async () => {
    const person = await stage.person('member', 'Ines', 'Falk')
    await stage.atrium.tasks.create({ workspace, title: 'Tar the hull', assignee: person.user })
    const board = await stage.atrium.boards.create({ name: 'Rigging plan' })
    await stage.atrium.boards.members.create(board.id, { user: person.user, role: 'editor' })
    await stage.atrium.tasks.create({ workspace, title: 'Dry the net', assignee: person.user })
    const { page } = await stage.visit('/inbox', { person, fresh: true })
    const opened = (title: string) => page.getByRole('heading', { name: `${title} (edit title)` }).waitFor()
    const onBoard = page.getByRole('button', { name: 'Rigging plan', exact: false }).and(page.locator(':focus'))
    await page.getByRole('button', { name: /^Unread: .*Tar the hull/ }).waitFor()
    await page.keyboard.press('j')
    await opened('Dry the net')
    await page.keyboard.press('u')
    await page.getByRole('button', { name: 'Mark read: Dry the net' }).waitFor()
    await page.keyboard.press('e')
    await page.getByRole('button', { name: 'Mark unread: Dry the net' }).waitFor()
    await page.keyboard.press('j')
    await onBoard.waitFor()
    assert.equal(new URL(page.url()).pathname, '/inbox')
    await page.keyboard.press('j')
    await opened('Tar the hull')
    await page.keyboard.press('k')
    await onBoard.waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/boards/${board.id}`)
    // What is read leaves the list of unread entries, and the walk goes on in its place.
    for (const title of ['Bail', 'Caulk', 'Oil']) {
      await stage.atrium.tasks.create({ workspace, title, assignee: person.user })
    }
    await page.goto(`${stage.url}/inbox?view=unread`)
    await page.getByRole('button', { name: /^Unread: .*Bail/ }).waitFor()
    await page.getByRole('button', { name: /^Unread: .*Oil/ }).focus()
    await page.keyboard.press('j')
    await opened('Caulk')
    await page.locator('.inbox-group', { hasText: 'Caulk' }).waitFor({ state: 'detached' })
    await page.keyboard.press('j')
    await opened('Bail')
    await page.context().close()
  })

  it('is counted by task in the navigation and the title of every page, live, until it is read', async () => {
    const person = await stage.person('member')
    const { page } = await stage.visit('/settings/appearance', { person, fresh: true })
    const link = (name: RegExp) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name })
    const counted = async (count: number) => {
      await link(count === 0 ? /^Inbox$/ : new RegExp(`^Inbox\\s*${count}\\s*unread$`)).waitFor()
      await page.waitForFunction((start) => document.title.startsWith(start), count === 0 ? '' : `(${count}) `)
    }
    await counted(0)
    const task = await stage.atrium.tasks.create({ workspace, title: 'Ring the bell', assignee: person.user })
    await counted(1)
    await stage.atrium.tasks.comments.create(task.id, { workspace, body: 'Twice.' })
    const other = await stage.atrium.tasks.create({ workspace, title: 'Row', assignee: person.user })
    await counted(2)
    await link(/^Inbox/).click()
    await row(page, task).getByText('Twice.').waitFor()
    for (const each of [task, other]) await page.getByRole('button', { name: `Mark read: ${each.title}` }).click()
    await counted(0)
  })

  it('has what happens in a project that the person watches by hand, and nothing of a task there that is muted', async () => {
    const person = await stage.person('member', 'Nora', 'Holm')
    const { id: project } = await stage.atrium.projects.create({ workspace, name: 'Fleet' })
    const add = (title: string) => stage.atrium.tasks.create({ workspace, project, title })
    const [loud, silent] = [await add('Sand the deck'), await add('Oil the oars')]
    const watched = await stage.visit(`/work/projects/${project}`, { person, fresh: true })
    const { page } = watched
    const choose = async (now: string, item: string, next: string) => {
      await page.getByRole('button', { name: now, exact: true }).click()
      await page.getByRole('menu').getByText(item, { exact: true }).click()
      await page.getByRole('button', { name: next, exact: true }).waitFor()
    }
    await page.getByRole('button', { name: 'You do not watch this project' }).waitFor()
    await forgetShifts(page)
    await checkPage(watched, 'project-watch')
    await choose('You do not watch this project', 'Watch', 'You watch this project')
    assert.deepEqual((await stage.atrium.projects.watch.retrieve(project)).watchers, [person.user])
    await page.goto(`${stage.url}/work/tasks/${silent.key}`)
    await choose('You watch this task', 'Mute', 'You have muted this task')
    for (const { id } of [silent, loud]) await stage.atrium.tasks.comments.create(id, { workspace, body: 'Done soon.' })
    await page.goto(`${stage.url}/inbox`)
    await row(page, loud).getByText('Done soon.').waitFor()
    assert.equal(await row(page, silent).count(), 0)
    await page.goto(`${stage.url}/work/projects/${project}`)
    await choose('You watch this project', 'Do not watch', 'You do not watch this project')
    assert.deepEqual((await stage.atrium.projects.watch.retrieve(project)).watchers, [])
    await page.context().close()
  })

  it('is swiped on a phone: right marks read, left puts off until tomorrow, a short swipe does nothing', async () => {
    const [first, second] = [await assign('Order rope'), await assign('Call the pilot')]
    const { page } = await stage.visit('/inbox')
    await page.setViewportSize({ width: 390, height: 844 })
    await row(page, second).waitFor()
    await settled(page)
    await swipe(page, row(page, first), 60)
    await page.getByRole('button', { name: `Mark read: ${first.title}` }).waitFor()
    await swipe(page, row(page, first), 140)
    await page.getByRole('button', { name: `Mark unread: ${first.title}` }).waitFor()
    await swipe(page, row(page, second), -140)
    await page.getByText('Put off until tomorrow morning').waitFor()
    await row(page, second).waitFor({ state: 'detached' })
    assert.equal(await page.locator('.swipe-hint').count(), 0)
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  it('and the rows of a list: right completes a task, left opens its menu, up and down scroll', async () => {
    const task = await assign('Grease the winch')
    const { page } = await stage.visit(`/work/tasks?${new URLSearchParams({ filter: 'title:winch' })}`)
    await page.setViewportSize({ width: 390, height: 844 })
    const shown = page.locator(`.task-list [data-task="${task.id}"]`)
    await shown.waitFor()
    await settled(page)
    await swipe(page, shown, 30, 120)
    assert.equal(await page.getByRole('menu').count(), 0)
    // The actions of rows are loaded after the rows: until then a swipe does nothing.
    const opened = () => page.getByRole('menuitem', { name: 'Copy key' }).waitFor({ timeout: 2000 })
    const isOpen = async () => {
      await swipe(page, shown, -140)
      return await opened().then(
        () => true,
        () => false,
      )
    }
    while (!(await isOpen()));
    await page.keyboard.press('Escape')
    await swipe(page, shown, 140)
    await page
      .getByText(/completed/i)
      .first()
      .waitFor()
    assert.equal((await stage.atrium.tasks.retrieve(task.id)).status, 'done')
    await page.setViewportSize({ width: 1440, height: 900 })
  })
})

/** Puts a finger into the middle of a row, moves it by some pixels, and lifts it. */
async function swipe(page: Page, row: Locator, x: number, y = 0): Promise<void> {
  const box = await row.boundingBox()
  assert.ok(box)
  const touch = await page.context().newCDPSession(page)
  const from = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: { x: number; y: number }[]) =>
    touch.send('Input.dispatchTouchEvent', { type, touchPoints })
  await send('touchStart', from)
  for (const part of [0.25, 0.5, 0.75, 1]) await send('touchMove', { x: from.x + x * part, y: from.y + y * part })
  await send('touchEnd')
  await touch.detach()
}
