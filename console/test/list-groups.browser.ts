/** Lists of tasks in groups and in manual order: by mouse, keyboard and touch. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { Column, Project, Task } from '../../sdk/typescript/src/index.ts'
import { checkPage } from './checks.ts'
import { type StagePerson, stageOf } from './stage.ts'

/** More than a group reads first. */
const long_group = 60

describe('groups of a list', () => {
  const stage = stageOf()
  let workspace: string
  let project: Project
  let mara: StagePerson
  before(async () => {
    mara = await stage.person('member')
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
    project = await stage.atrium.projects.create({ workspace, name: 'Seat map' })
    const options = [
      { id: 'idea', name: 'Idea' },
      { id: 'live', name: 'Live' },
    ]
    await stage.atrium.customFields.create({ workspace, key: 'stage', name: 'Stage', type: 'select', options })
    const create = (title: string, fields: object) => stage.atrium.tasks.create({ workspace, title, ...fields })
    await create('Draw the decks', { status: 'todo', labels: ['deck', 'hull'], assignee: mara.user })
    await create('Paint the hull', { status: 'in_progress', labels: ['hull'], custom_fields: { stage: 'live' } })
    const data = Array.from({ length: long_group }, (_, i) => ({
      ...{ title: `Done ${i}`, status: 'done' as const, project: project.id, labels: [`n${i}`] },
    }))
    await stage.atrium.tasks.batch({ workspace, data })
  })

  const head = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const titles = (page: Page) => page.locator('.task-row-link').allInnerTexts()
  const groupBy = (page: Page, label: string) => page.getByLabel('Group by').selectOption({ label })
  const param = (page: Page, name: string) => new URL(page.url()).searchParams.get(name)

  it('have true counts, are collapsed, and are kept in the address', async () => {
    const watched = await stage.visit('/work/tasks')
    const { page } = watched
    await groupBy(page, 'By status')
    await head(page, 'To do 1 task').waitFor()
    await head(page, 'In progress 1 task').waitFor()
    await head(page, 'Done 60 tasks').waitFor()
    await page.getByRole('link', { name: 'Done 59', exact: true }).waitFor()
    await checkPage(watched, 'work-groups')
    await head(page, 'To do 1 task').click()
    await page.getByRole('link', { name: 'Draw the decks' }).waitFor({ state: 'detached' })
    assert.deepEqual([param(page, 'group'), param(page, 'collapsed')], ['status', 'todo'])
    await page.reload()
    await page.getByRole('link', { name: 'Paint the hull' }).waitFor()
    assert.equal(await head(page, 'To do 1 task').getAttribute('aria-expanded'), 'false')
    assert.ok(!(await titles(page)).includes('Draw the decks'))
    await page.goBack()
    await head(page, 'Done 60 tasks').waitFor({ state: 'detached' })
  })

  it('read more of a long group when asked', async () => {
    const { page } = await stage.visit('/work/tasks?group=status&collapsed=todo+in_progress')
    await page.getByRole('link', { name: 'Done 59', exact: true }).waitFor()
    await page.locator('.task-list').evaluate((list) => list.scrollTo(0, list.scrollHeight))
    await page.getByText('10 more', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Show more of Done' }).click()
    await page.locator('.task-list').evaluate((list) => list.scrollTo(0, list.scrollHeight))
    await page.getByRole('link', { name: 'Done 0', exact: true }).waitFor()
  })

  it('are read as they come into view, and again after they have left it', async () => {
    const filter = 'status = done'
    const { page } = await stage.visit(`/work/tasks?${new URLSearchParams({ group: 'labels', filter })}`)
    const scroll = (to: 'start' | 'end') =>
      page.locator('.task-list').evaluate((list, end) => list.scrollTo(0, end ? list.scrollHeight : 0), to === 'end')
    await page.getByRole('link', { name: 'Done 0', exact: true }).waitFor()
    await head(page, 'n1 1 task').waitFor()
    await scroll('end')
    await head(page, 'n59 1 task').waitFor()
    await page.getByRole('link', { name: 'Done 59', exact: true }).waitFor()
    await scroll('start')
    await page.getByRole('link', { name: 'Done 0', exact: true }).waitFor()
  })

  it('lead from task to task in the panel, over the end of a group', async () => {
    const { page } = await stage.visit('/work/tasks?group=status')
    await page.getByRole('link', { name: 'Draw the decks' }).click()
    await page.getByText('1 of 62', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Next task' }).click()
    await page.getByText('2 of 62', { exact: true }).waitFor()
    await page.getByRole('dialog', { name: /Paint the hull/ }).waitFor()
    await page.getByRole('button', { name: 'Next task' }).click()
    await page.getByText('3 of 62', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Previous task' }).click()
    await page.getByText('2 of 62', { exact: true }).waitFor()
  })

  it('lead from task to task in the panel when subtasks stand below their parents', async () => {
    const parent = await stage.atrium.tasks.create({ workspace, title: 'Sail', labels: ['sea'] })
    await stage.atrium.tasks.create({ workspace, title: 'Hoist', labels: ['sea'], parent: parent.id })
    const { page } = await stage.visit(`/work/tasks?${new URLSearchParams({ filter: 'labels:sea' })}`)
    await page.getByRole('button', { name: 'Group subtasks' }).click()
    await page.getByRole('button', { name: `Subtasks of ${parent.key}` }).waitFor()
    await page.getByRole('link', { name: 'Sail', exact: true }).click()
    await page.getByText('1 of 2', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Next task' }).click()
    await page.getByRole('dialog', { name: /Hoist/ }).waitFor()
    await page.getByText('2 of 2', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Group subtasks' }).click()
  })

  it('divide by person, label, due date and custom field, and show a change at once', async () => {
    const filter = 'NOT status IN (done) NOT labels:sea'
    const { page } = await stage.visit(`/work/tasks?${new URLSearchParams({ filter })}`)
    await groupBy(page, 'By assignee')
    await head(page, 'Mara Lindt 1 task').waitFor()
    await head(page, 'No assignee 1 task').waitFor()
    await groupBy(page, 'By label')
    await head(page, 'deck 1 task').waitFor()
    await head(page, 'hull 2 tasks').waitFor()
    await page.getByRole('link', { name: 'Draw the decks' }).nth(1).waitFor()
    await groupBy(page, 'By due date')
    await head(page, 'No due date 2 tasks').waitFor()
    await groupBy(page, 'By Stage')
    await head(page, 'Live 1 task').waitFor()
    await head(page, 'No stage 1 task').waitFor()
    const { data } = await stage.atrium.tasks.list({ filter: 'title:decks' })
    await stage.atrium.tasks.update(data[0]?.id ?? '', { custom_fields: { stage: 'live' } })
    await head(page, 'Live 2 tasks').waitFor()
    await head(page, 'No stage 1 task').waitFor({ state: 'detached' })
  })

  it('are moved over by keyboard: the arrow keys pass heads, Left and Right collapse and expand', async () => {
    const { page } = await stage.visit('/work/tasks?group=status')
    await head(page, 'Done 60 tasks').waitFor()
    await page.keyboard.press('j')
    await page.locator('.group-toggle:focus').waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.locator('.group-toggle[aria-expanded="false"]:focus').waitFor()
    await page.keyboard.press('ArrowRight')
    await page.locator('.group-toggle[aria-expanded="true"]:focus').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.locator('.task-row-link:focus').waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.locator('.group-toggle:focus').waitFor()
  })
})

describe('manual order in a list', () => {
  const stage = stageOf()
  let project: Project
  let columns: Column[]
  before(async () => {
    const workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
    project = await stage.atrium.projects.create({ workspace, name: 'Seat map' })
    const column = (name: string, status: 'todo' | 'done') =>
      stage.atrium.columns.create({ workspace, project: project.id, name, status })
    columns = [await column('Open', 'todo'), await column('Shipped', 'done')]
    for (const title of ['Ada', 'Bo', 'Cy']) {
      await stage.atrium.tasks.create({ workspace, title, project: project.id, column: columns[0]?.id ?? null })
    }
  })

  const inOrder = async (column: number): Promise<string[]> => {
    const { data } = await stage.atrium.tasks.list({ filter: `column = ${columns[column]?.id}`, sort: 'position' })
    return data.map(({ title }: Task) => title)
  }
  const openList = async () => {
    const watched = await stage.visit(`/work/projects/${project.id}`)
    await watched.page.getByRole('link', { name: 'List' }).click()
    await watched.page.getByRole('button', { name: 'Shipped 0 tasks' }).or(row(watched.page, 'Cy')).first().waitFor()
    await row(watched.page, 'Cy').waitFor()
    return watched
  }
  const row = (page: Page, title: string) => page.getByRole('link', { name: title, exact: true })
  const order = async (page: Page, wanted: string) => {
    await page.waitForFunction((text) => {
      const rows = [...document.querySelectorAll<HTMLElement>('.task-list .task-row')]
      const top = (each: HTMLElement) => each.getBoundingClientRect().top
      const names = rows
        .toSorted((a, b) => top(a) - top(b))
        .map((each) => each.querySelector('.task-row-link, .group-toggle > .cut')?.textContent)
      return names.join(' ') === text
    }, wanted)
  }

  it('is changed by mouse, with a line at the place, and undone', async () => {
    const watched = await openList()
    const { page } = watched
    await order(page, 'Open Ada Bo Cy Shipped')
    await checkPage(watched, 'work-manual-order')
    const [from, to] = [await row(page, 'Cy').boundingBox(), await row(page, 'Ada').boundingBox()]
    assert.ok(from !== null && to !== null)
    await page.mouse.move(from.x + 5, from.y + from.height / 2)
    await page.mouse.down()
    await page.mouse.move(from.x + 5, from.y - 20, { steps: 4 })
    await page.mouse.move(to.x + 5, to.y - 8, { steps: 6 })
    await page.locator('.board-line').waitFor()
    await page.mouse.up()
    await order(page, 'Open Cy Ada Bo Shipped')
    await page.getByText(/moved within Open$/).waitFor()
    assert.deepEqual(await inOrder(0), ['Cy', 'Ada', 'Bo'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await order(page, 'Open Ada Bo Cy Shipped')
    assert.deepEqual(await inOrder(0), ['Ada', 'Bo', 'Cy'])
  })

  it('is changed by keyboard, also into another column, whose status the task takes', async () => {
    const { page } = await openList()
    await row(page, 'Bo').focus()
    await page.keyboard.press('Space')
    await page.locator('[data-held]').waitFor()
    await page.keyboard.press('ArrowUp')
    await order(page, 'Open Bo Ada Cy Shipped')
    await page.keyboard.press('Escape')
    await order(page, 'Open Ada Bo Cy Shipped')
    await page.keyboard.press('Space')
    for (let step = 0; step < 2; step++) await page.keyboard.press('ArrowDown')
    await order(page, 'Open Ada Cy Shipped Bo')
    await page.keyboard.press('Space')
    await page.getByText(/moved to Shipped, completed$/).waitFor()
    await order(page, 'Open Ada Cy Shipped Bo')
    assert.deepEqual([await inOrder(0), await inOrder(1)], [['Ada', 'Cy'], ['Bo']])
    await page.locator('.task-row-link:focus').waitFor()
  })

  it('is changed by touch after a long press', async () => {
    const { page } = await openList()
    const [from, to] = [await row(page, 'Ada').boundingBox(), await row(page, 'Bo').boundingBox()]
    assert.ok(from !== null && to !== null)
    const touch = await page.context().newCDPSession(page)
    const at = (y: number) => [{ x: from.x + 5, y }]
    const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: { x: number; y: number }[]) =>
      touch.send('Input.dispatchTouchEvent', { type, touchPoints })
    await send('touchStart', at(from.y + 5))
    await page.locator('.drag-copy').waitFor()
    await send('touchMove', at(to.y - 10))
    await send('touchMove', at(to.y + to.height + 12))
    await page.locator('.board-line').waitFor()
    await send('touchEnd', [])
    await order(page, 'Open Cy Shipped Bo Ada')
    await page.getByText(/moved to Shipped, completed$/).waitFor()
    assert.deepEqual(await inOrder(1), ['Bo', 'Ada'])
  })

  it('is offered for the list of one project only', async () => {
    const { page } = await stage.visit('/work/tasks')
    await row(page, 'Cy').waitFor()
    const sorts = () => page.getByLabel('Sort').locator('option').allInnerTexts()
    assert.ok(!(await sorts()).includes('Manual'))
    assert.equal(await page.locator('[data-card]').count(), 0)
    await page.goto(`${stage.url}/work/tasks?${new URLSearchParams({ filter: `project = ${project.id}` })}`)
    await page.getByLabel('Sort').locator('option', { hasText: 'Manual' }).waitFor({ state: 'attached' })
    await page.getByLabel('Sort').selectOption({ label: 'Manual' })
    await order(page, 'Open Cy Shipped Bo Ada')
  })
})
