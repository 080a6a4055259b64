/** A board with a filter reads its columns page by page, counts what matches, and follows changes. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { checkPage } from './checks.ts'
import { stageOf } from './stage.ts'

const matching = 130

describe('a board with a filter', () => {
  const stage = stageOf()
  let path: string
  let workspace: string
  let project: string
  let column: string
  let ids: string[]

  before(async () => {
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
    project = (await stage.atrium.projects.create({ workspace, name: 'Ferries' })).id
    column = (await stage.atrium.columns.create({ workspace, project, name: 'To do' })).id
    await stage.atrium.columns.create({ workspace, project, name: 'Doing' })
    ids = []
    for (let from = 0; from < 2 * matching; from += 65) {
      const data = Array.from({ length: 65 }, (_, n) => ({
        ...{ title: `Task ${from + n}`, project, column },
        priority: (from + n) % 2 === 0 ? ('high' as const) : ('low' as const),
      }))
      ids.push(...(await stage.atrium.tasks.batch({ workspace, data })).data.map(({ id }) => id))
    }
    path = `/work/projects/${project}?${new URLSearchParams({ filter: 'priority = high OR title:urgent' })}`
  })

  it('shows true counts and reads on while it is scrolled', async () => {
    const watched = await stage.visit(path)
    const { page } = watched
    const lane = page.getByRole('region', { name: 'To do', exact: true })
    await lane.getByText(`${matching} tasks`, { exact: true }).waitFor()
    await lane.getByRole('link', { name: 'Task 0', exact: true }).waitFor()
    assert.equal(await lane.getByRole('link', { name: 'Task 1', exact: true }).count(), 0)
    await checkPage(watched, 'work-board-filtered')
    await page.waitForFunction(
      (title) => {
        const cards = document.querySelector('.board-cards:has(.kanban-card)')
        cards?.scrollTo(0, cards.scrollHeight)
        return [...(cards?.querySelectorAll('a') ?? [])].some(({ textContent }) => textContent === title)
      },
      `Task ${2 * matching - 2}`,
    )
  })

  it('shows and hides cards as changes make their tasks match or not', async () => {
    const { page } = await stage.visit(path)
    const lane = page.getByRole('region', { name: 'To do', exact: true })
    const card = (title: string) => lane.getByRole('link', { name: title, exact: true })
    await lane.getByText(`${matching} tasks`, { exact: true }).waitFor()
    await card('Task 0').waitFor()
    await stage.atrium.tasks.update(ids[0] as string, { priority: 'low' })
    await card('Task 0').waitFor({ state: 'detached' })
    await lane.getByText(`${matching - 1} tasks`, { exact: true }).waitFor()
    await stage.atrium.tasks.update(ids[1] as string, { title: 'Quite urgent' })
    await stage.atrium.tasks.move(ids[1] as string, { column, before: ids[2] as string })
    await card('Quite urgent').waitFor()
    await lane.getByText(`${matching} tasks`, { exact: true }).waitFor()
    await stage.atrium.tasks.update(ids[0] as string, { priority: 'high' })
    await card('Task 0').waitFor()
    await lane.getByText(`${matching + 1} tasks`, { exact: true }).waitFor()
  })
})
