/** Tasks on a timeline: moved, resized and linked by mouse, finger and keyboard, and a chain that moves as one. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Task } from '@atrium/sdk'
import type { Locator, Page } from 'playwright-core'
import { checkPage, forgetShifts, settled } from './checks.ts'
import { stageOf } from './stage.ts'

const at = (day: string, time = '09:30:00') => Math.floor(new Date(`${day}T${time}`).getTime() / 1000)
/** The width of a day at the zoom Month. */
const day_px = 20

describe('the timeline', () => {
  const stage = stageOf()
  let workspace: string
  let project: string
  before(async () => {
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
    project = (await stage.atrium.projects.create({ workspace, name: 'Winter' })).id
  })

  const create = (title: string, from: string | null, to: string | null, fields: object = {}): Promise<Task> =>
    stage.atrium.tasks.create({
      ...{ workspace, project, title },
      ...(from !== null && { start_at: at(from) }),
      ...(to !== null && { due_at: at(to) }),
      ...fields,
    })
  const path = (more = '') =>
    `/work/timeline?at=2027-03-08&sort=created&filter=${encodeURIComponent(`project = ${project}`)}${more}`
  const row = (page: Page, task: Task) => page.locator(`.gantt-row[data-task="${task.id}"]`)
  const bar = (page: Page, task: Task) => row(page, task).locator('.gantt-bar')
  /** Waits until the row says these dates: a drag begins from what is shown. */
  const shows = (page: Page, task: Task, text: string) =>
    row(page, task).locator('.gantt-link .unseen', { hasText: text }).waitFor({ state: 'attached' })
  const dates = async ({ id }: Task) => {
    const { start_at, due_at } = await stage.atrium.tasks.retrieve(id)
    return [start_at, due_at]
  }
  const noticeOf = (page: Page) => page.getByRole('region', { name: 'Notifications' })
  const boxOf = async (part: Locator) => {
    const box = await part.boundingBox()
    assert.ok(box !== null)
    return box
  }
  const dragBy = async (page: Page, part: Locator, days: number) => {
    const { x, y, width, height } = await boxOf(part)
    await page.mouse.move(x + width / 2, y + height / 2)
    await page.mouse.down()
    await page.mouse.move(x + width / 2 + (days * day_px) / 2, y + height / 2)
    await page.mouse.move(x + width / 2 + days * day_px, y + height / 2)
    await page.mouse.up()
  }

  it('moves and resizes a bar by mouse, draws a dependency, and moves the chain of tasks as one', async () => {
    const [dig, pour, dry] = [
      await create('Dig', '2027-03-09', '2027-03-12'),
      await create('Pour', '2027-03-13', '2027-03-15'),
      await create('Dry', null, '2027-03-20'),
    ]
    await stage.atrium.tasks.dependencies.create(pour.id, { workspace, to: dry.id, kind: 'precedes' })
    const watched = await stage.visit(path())
    const { page } = watched
    await bar(page, dig).waitFor()
    await dragBy(page, bar(page, dig), 2)
    await page.getByText(`${dig.key} updated: start date and due date`).waitFor()
    assert.deepEqual(await dates(dig), [at('2027-03-11'), at('2027-03-14')])
    await page.getByRole('button', { name: 'Undo' }).click()
    const undone = page.locator('.toast').filter({ hasText: 'Undone' })
    await undone.waitFor()
    assert.deepEqual(await dates(dig), [at('2027-03-09'), at('2027-03-12')])
    // The last undo is waited for by its own message.
    await undone.getByRole('button', { name: 'Dismiss' }).click()
    await undone.waitFor({ state: 'detached' })
    await shows(page, dig, 'March 9 to Friday, March 12')
    await settled(page)
    await dragBy(page, bar(page, dig).locator('[data-grip="due"]'), -1)
    await page.getByText(`${dig.key} updated: due date`).waitFor()
    assert.deepEqual(await dates(dig), [at('2027-03-09'), at('2027-03-11')])
    await shows(page, dig, 'March 9 to Thursday, March 11')

    await row(page, dig).hover()
    await bar(page, dig)
      .locator('[data-grip="link"]')
      .dragTo(bar(page, pour), { targetPosition: { x: 8, y: 8 } })
    await noticeOf(page).getByText(`${dig.key} blocks ${pour.key}`).waitFor()
    await page.getByRole('button', { name: 'Move chains' }).click()
    await page.waitForFunction(() => document.querySelectorAll('.gantt-arrow').length === 2)
    await dragBy(page, bar(page, dig), 3)
    await page.getByText('3 tasks moved').waitFor()
    assert.deepEqual(
      [await dates(dig), await dates(pour), await dates(dry)],
      [
        [at('2027-03-12'), at('2027-03-14')],
        [at('2027-03-16'), at('2027-03-18')],
        [null, at('2027-03-23')],
      ],
    )
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await undone.waitFor()
    assert.deepEqual(await dates(dry), [null, at('2027-03-20')])
    await forgetShifts(page)
    await checkPage(watched, 'timeline-month')
  })

  it('plans, moves, resizes and links by keyboard alone', async () => {
    const [one, two] = [
      await create('Order sand', null, null),
      await create('Order gravel', '2027-03-10', '2027-03-11'),
    ]
    const { page } = await stage.visit(path())
    await row(page, two).getByRole('link', { name: 'Order gravel' }).focus()
    for (const key of [' ', 'ArrowRight', 'ArrowRight', 'Shift+ArrowRight']) await page.keyboard.press(key)
    await page.getByRole('status').filter({ hasText: 'Friday, March 12 to Sunday, March 14' }).waitFor()
    await page.keyboard.press(' ')
    await page.getByText(`${two.key} updated: start date and due date`).waitFor()
    assert.deepEqual(await dates(two), [at('2027-03-12'), at('2027-03-14')])
    await row(page, one).getByRole('link', { name: 'Order sand' }).focus()
    for (const key of [' ', 'ArrowRight', ' ']) await page.keyboard.press(key)
    await page.getByText(`${one.key} updated: start date and due date`).waitFor()
    assert.notEqual((await dates(one))[1], null)
    for (const key of [' ', 'd']) await page.keyboard.press(key)
    await page
      .getByRole('status')
      .filter({ hasText: `${one.key} blocks ${two.key}` })
      .waitFor()
    await page.keyboard.press('Enter')
    await noticeOf(page).getByText(`${one.key} blocks ${two.key}`).waitFor()
    const { data } = await stage.atrium.tasks.dependencies.list(one.id)
    assert.deepEqual(
      data.map(({ to, kind }) => [to, kind]),
      [[two.id, 'blocks']],
    )
  })

  it('moves a bar by finger after a long press, and opens the task with a tap', async () => {
    const task = await create('Paint', '2027-03-09', '2027-03-13')
    await (await stage.visit('/work')).page.setViewportSize({ width: 390, height: 844 })
    const watched = await stage.visit(path())
    const { page } = watched
    const { x, y, height } = await boxOf(bar(page, task))
    const touch = await page.context().newCDPSession(page)
    const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: { x: number; y: number }[]) =>
      touch.send('Input.dispatchTouchEvent', { type, touchPoints })
    const point = { x: x + 50, y: y + height / 2 }
    await send('touchStart', point)
    await page.waitForFunction(() => document.documentElement.dataset.dragging !== undefined)
    await send('touchMove', { x: point.x + 2 * day_px, y: point.y })
    await bar(page, task).locator('.gantt-dates').getByText('Mar 11 – 15').waitFor()
    await send('touchEnd')
    await page.getByText(`${task.key} updated: start date and due date`).waitFor()
    assert.deepEqual(await dates(task), [at('2027-03-11'), at('2027-03-15')])
    await touch.detach()
    await bar(page, task).click()
    await page.getByRole('dialog', { name: `${task.key} Paint` }).waitFor()
    await page.goBack()
    await forgetShifts(page)
    await checkPage(watched, 'timeline-phone')
    await page.setViewportSize({ width: 1440, height: 900 })
  })
})
