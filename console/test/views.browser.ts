/** My work, boards by a property, saved views, and reports that lead to their tasks. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Task } from '@atrium/sdk'
import { checkPage, forgetShifts, settled } from './checks.ts'
import { stageOf } from './stage.ts'

const day = 86_400

describe('views of tasks', () => {
  const stage = stageOf()
  let workspace: string
  let project: string
  const now = Math.floor(Date.now() / 1000)
  before(async () => {
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
    project = (await stage.atrium.projects.create({ workspace, name: 'Winter' })).id
  })

  const create = (title: string, fields: object = {}): Promise<Task> =>
    stage.atrium.tasks.create({ workspace, project, title, ...fields })
  const ofProject = (path: string, more = '') => `${path}?filter=${encodeURIComponent(`project = ${project}`)}${more}`

  it('My work shows each open task of a person once, by what it asks for, and follows changes', async () => {
    const assignee = stage.owner.user
    const late = await create('Repair the pier', { assignee, due_at: now - 3 * day })
    const blocker = await create('Order wood', { assignee, due_at: now + 3 * day })
    const blocked = await create('Build the stage', { assignee })
    await create('Not mine', { due_at: now - 3 * day })
    await stage.atrium.tasks.dependencies.create(blocker.id, { workspace, to: blocked.id, kind: 'blocks' })
    const watched = await stage.visit('/my-work')
    const { page } = watched
    const heads = page.locator('.group-toggle')
    await page.getByText('Waiting on me').waitFor()
    await page.getByText('Blocked', { exact: true }).first().waitFor()
    const names = async () => (await heads.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim())
    assert.deepEqual(await names(), ['Overdue 1 task', 'Waiting on me 1 task', 'Blocked 1 task'])
    await page.getByRole('status').getByText('3 tasks', { exact: true }).waitFor()
    assert.deepEqual(
      await page.locator('.task-row-link').allInnerTexts(),
      [late, blocker, blocked].map(({ title }) => title),
    )
    // What is due by today stays there also if others wait for it.
    await stage.atrium.tasks.update(blocker.id, { due_at: now - day })
    await page.getByText('Waiting on me').waitFor({ state: 'detached' })
    assert.deepEqual(await names(), ['Overdue 2 tasks', 'Blocked 1 task'])
    assert.equal(await page.locator('.task-row [data-kind=blocking]').count(), 1)
    await stage.atrium.tasks.update(blocker.id, { due_at: now + 3 * day })
    await page.getByText('Waiting on me').waitFor()
    await stage.atrium.tasks.update(late.id, { status: 'done' })
    await page.getByText('Repair the pier').waitFor({ state: 'detached' })
    await page.getByText('Order wood').first().click()
    await page.getByRole('dialog', { name: `${blocker.key} Order wood` }).waitFor()
    await page.goBack()
    await forgetShifts(page)
    await checkPage(watched, 'my-work')
  })

  it('a card takes the value of the lane it is moved to, by mouse and by keyboard', async () => {
    const task = await create('Paint the hull', { status: 'todo' })
    const { page } = await stage.visit(ofProject('/work/board', '&group=priority'))
    const lane = (name: string) => page.getByRole('region', { name, exact: true })
    await lane('No priority').getByText('Paint the hull').dragTo(lane('High'))
    await lane('High').getByText('Paint the hull').waitFor()
    await page.getByText(`${task.key} updated: priority`).waitFor()
    assert.equal((await stage.atrium.tasks.retrieve(task.id)).priority, 'high')
    await page.getByLabel('Columns by').selectOption('status')
    await lane('Todo').or(lane('To do')).getByRole('link', { name: 'Paint the hull' }).focus()
    for (const key of [' ', 'ArrowRight', ' ']) await page.keyboard.press(key)
    await lane('In progress').getByText('Paint the hull').waitFor()
    await page.getByText(`${task.key} changed to In progress`).waitFor()
    assert.equal((await stage.atrium.tasks.retrieve(task.id)).status, 'in_progress')
  })

  it('a lane of many cards renders those in view, also of lanes far to the right once they are reached', async () => {
    const full = (await stage.atrium.projects.create({ workspace, name: 'Labels' })).id
    const label = (number: number) => `lane${String(number).padStart(2, '0')}`
    const data = Array.from({ length: 90 }, (_, i) => ({ title: `Knot ${i}`, project: full, labels: [label(i % 15)] }))
    const first = Array.from({ length: 30 }, (_, i) => ({ title: `Rope ${i}`, project: full, labels: [label(0)] }))
    for (const part of [data.slice(0, 50), data.slice(50), first])
      await stage.atrium.tasks.batch({ workspace, data: part })
    const { page } = await stage.visit(`/work/board?filter=${encodeURIComponent(`project = ${full}`)}&group=labels`)
    const lane = (name: string) => page.getByRole('region', { name, exact: true })
    await lane(label(0)).getByRole('listitem').first().waitFor()
    await settled(page)
    assert.match(await lane(label(0)).getByRole('heading').locator('..').innerText(), /36$/)
    const cards = await lane(label(0)).getByRole('listitem').count()
    assert.ok(cards > 5 && cards < 25, `${cards} cards`)
    assert.equal(await lane(label(14)).getByRole('listitem').count(), 0)
    await page.evaluate('document.querySelector(".by-board").scrollLeft = 1e6')
    await lane(label(14)).getByRole('link', { name: 'Knot 89' }).waitFor()
    assert.equal(await lane(label(0)).getByRole('listitem').count(), 0)
  })

  it('every layout of a project says its name, leads back to its workspace, and filters within it', async () => {
    const named = await stage.atrium.projects.create({ workspace, name: 'Pier', description: 'Built on oak' })
    for (const [title, priority] of [['Saw planks', 'high'] as const, ['Set piles', 'low'] as const])
      await stage.atrium.tasks.create({ workspace, project: named.id, title, priority, due_at: now + day })
    const { page } = await stage.visit(`/work/projects/${named.id}`)
    const head = page.locator('header').filter({ has: page.getByRole('heading', { name: 'Pier', level: 1 }) })
    for (const layout of ['List', 'Calendar', 'Timeline', 'Board']) {
      await page.getByRole('navigation', { name: 'Layout' }).getByRole('link', { name: layout, exact: true }).click()
      await head.getByText('Built on oak').waitFor()
      await head.getByRole('link', { name: 'Harbour' }).waitFor()
      await head.getByRole('button', { name: 'Project actions' }).waitFor()
      assert.equal(await page.getByRole('button', { name: 'Remove filter: Project' }).count(), 0, layout)
    }
    await page.getByRole('navigation', { name: 'Layout' }).getByRole('link', { name: 'List' }).click()
    await page.getByText('2 tasks').first().waitFor()
    await page.getByRole('button', { name: 'Advanced' }).click()
    const text = page.getByRole('combobox', { name: 'Filter text' })
    await text.fill('priority = high')
    await text.press('Enter')
    await page.getByText('1 task', { exact: true }).first().waitFor()
    const applied = () => new URL(page.url()).searchParams.get('filter')
    assert.equal(applied(), `project = ${named.id} AND priority = high`)
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
    await page.getByText('2 tasks').first().waitFor()
    assert.equal(applied(), `project = ${named.id}`)
    await text.fill('priority = zzz')
    await text.press('Enter')
    // The place of the mistake is that in the text that is shown.
    await page.getByText('The field `priority` cannot be "zzz" (at character 12).').waitFor()
  })

  it('a task that is opened beside its list or board leaves the rows and cards where they are', async () => {
    const { id } = await stage.atrium.projects.create({ workspace, name: 'Depths' })
    const task = await create('Sound the depth', { project: id, due_at: now + day })
    const { page } = await stage.visit('/work/tasks')
    const filter = new URLSearchParams({ filter: `project = ${id}` })
    const layouts = ['tasks', 'timeline', 'board'].map((layout) => `/work/${layout}?${filter}`)
    for (const path of [...layouts, `/work/projects/${id}`, '/work/tasks']) {
      await page.goto(`${stage.url}${path}`)
      const link = page.getByRole('link', { name: /Sound the depth/ }).first()
      await link.waitFor()
      await settled(page)
      const topOf = async () => Math.round((await link.boundingBox())?.y ?? 0)
      const before = await topOf()
      await link.click()
      await page.getByRole('dialog', { name: `${task.key} Sound the depth` }).waitFor()
      await settled(page)
      assert.equal(await topOf(), before, path)
    }
  })

  it('saves a private view, pins and shares it, and opens it in its layout', async () => {
    const member = await stage.person('member')
    const { page } = await stage.visit(ofProject('/work/timeline', '&group=status&sort=due_at'))
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Save view…' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Winter plan')
    await page.getByRole('button', { name: 'Only me' }).click()
    await page.getByLabel('Pin to the navigation').check()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const pinned = page.getByRole('list', { name: 'Pinned views' }).getByRole('link', { name: 'Winter plan' })
    await pinned.waitFor()
    const theirs = await stage.visit('/work/views', { person: member })
    await theirs.page.getByText('No views yet').waitFor()
    await page.goto(`${stage.url}/`)
    await pinned.click()
    await page.getByRole('heading', { name: 'Winter', level: 1 }).waitFor()
    await page.locator('.group-toggle').first().waitFor()
    const watched = await stage.visit('/work/views')
    await page.getByRole('button', { name: 'Actions for Winter plan' }).click()
    await page.getByRole('menuitem', { name: 'Share with the team' }).click()
    await page.getByText('Winter plan is shared with the team').waitFor()
    // The button has the focus again, and its tip is shown.
    await page.keyboard.press('Escape')
    await page.locator('[role=menu], [role=tooltip]').waitFor({ state: 'detached' })
    await checkPage(watched, 'views')
    await theirs.page.reload()
    await theirs.page
      .getByRole('list', { name: 'Views', exact: true })
      .getByRole('link', { name: 'Winter plan' })
      .waitFor()
    const [saved] = (await stage.atrium.savedFilters.list()).data
    assert.deepEqual(
      [saved?.layout, saved?.group_by, saved?.sort, saved?.pinned, saved?.project],
      ['timeline', 'status', 'due_at', true, project],
    )
  })

  it('reports lead from a late project to the task that holds it up', async () => {
    await create('Wait for the permit', { status: 'blocked', due_at: now - 2 * day })
    const watched = await stage.visit(`/work/reports?project=${project}`)
    const { page } = watched
    await page.getByRole('heading', { name: 'Burn-up' }).waitFor()
    await settled(page)
    await checkPage(watched, 'reports')
    const workload = page.getByRole('region', { name: 'Numbers of Workload' })
    const late = workload
      .getByRole('row', { name: /^Unassigned/ })
      .getByRole('link')
      .first()
    await late.click()
    await page.getByRole('link', { name: 'Wait for the permit' }).click()
    await page.getByRole('dialog', { name: /Wait for the permit$/ }).waitFor()
    await page.goBack()
    await page.goBack()
    const saved = page.waitForEvent('download')
    await page.locator('.chart').filter({ hasText: 'Throughput' }).getByRole('button', { name: 'CSV' }).click()
    assert.equal((await saved).suggestedFilename(), 'throughput.csv')
  })
})
