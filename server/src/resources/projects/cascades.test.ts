import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { assertFolds } from '../../../test/fold.ts'
import { onEveryWorld } from '../../../test/world.ts'

onEveryWorld('changes of a project and its content', (world) => {
  let workspace: string
  before(async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Kubernetes' })).id
  })

  const show = async (path: string) => (await world.get(path)).body

  /** Two columns, three tasks (in the first, in the second, in none), a dependency, and a deleted task. */
  async function board() {
    const project = await world.make('/v1/projects', { workspace, name: 'Sidecars' })
    const inside = { workspace, project: project.id }
    const columns = [
      await world.make('/v1/columns', { ...inside, name: 'Open' }),
      await world.make('/v1/columns', { ...inside, name: 'Done', color: '#118833' }),
    ]
    const tasks = [
      await world.make('/v1/tasks', { ...inside, title: 'One', column: columns[0].id }),
      await world.make('/v1/tasks', { ...inside, title: 'Two', column: columns[1].id, status: 'done' }),
      await world.make('/v1/tasks', { ...inside, title: 'Three' }),
    ]
    const gone = await world.make('/v1/tasks', { ...inside, title: 'Gone', column: columns[0].id })
    await world.delete(`/v1/tasks/${gone.id}`)
    const dependency = await world.make(`/v1/tasks/${tasks[0].id}/dependencies`, { workspace, to: tasks[1].id })
    world.clock.advance(10_000)
    await world.markWritten()
    return { project, columns, tasks, dependency, gone }
  }

  it('archiving a project archives its tasks, restoring restores them, each with one event in the same commit', async () => {
    const { project, tasks } = await board()
    const outside = await world.make('/v1/tasks', { workspace, title: 'Outside' })
    await world.markWritten()
    const { updated } = (await world.post(`/v1/projects/${project.id}/archive`)).body
    await world.assertWritten({
      events: ['workflow.project.archived', ...Array(3).fill('workflow.task.updated')],
      audit: ['projects.archive'],
    })
    for (const task of tasks) {
      assert.deepEqual(await show(`/v1/tasks/${task.id}`), { ...task, is_archived: true, updated, revision: 2 })
    }
    assert.deepEqual(await show(`/v1/tasks/${outside.id}`), outside)
    await assertFolds(world)
    await world.patch(`/v1/projects/${project.id}`, { archived_at: null })
    await world.assertWritten({
      events: ['workflow.project.unarchived', ...Array(3).fill('workflow.task.updated')],
      audit: ['projects.update'],
    })
    for (const task of tasks) {
      assert.deepEqual(await show(`/v1/tasks/${task.id}`), { ...task, updated, revision: 3 })
    }
    await assertFolds(world)
  })

  it('deleting a project deletes its columns and dependencies and leaves its tasks and boards without a project', async () => {
    const { project, columns, tasks, gone } = await board()
    const drawn = await world.make('/v1/boards', { name: 'Sketch', project: project.id })
    const { updated } = (await world.post(`/v1/projects/${project.id}/archive`)).body
    await world.markWritten()
    await world.delete(`/v1/projects/${project.id}`)
    await world.assertWritten({
      events: [
        'workflow.project.deleted',
        'workflow.column.deleted',
        'workflow.column.deleted',
        'workflow.dependency.deleted',
        ...Array(3).fill('workflow.task.moved'),
        'whiteboard.board.updated',
      ],
      audit: ['projects.delete'],
    })
    for (const task of tasks) {
      const detached = { ...task, project: null, column: null, is_archived: false, updated, revision: 3 }
      assert.deepEqual(await show(`/v1/tasks/${task.id}`), detached)
    }
    assert.deepEqual(await show(`/v1/boards/${drawn.id}`), { ...drawn, project: null, updated, revision: 2 })
    for (const column of columns) assert.equal((await world.get(`/v1/columns/${column.id}`)).status, 410)
    assert.equal((await world.get(`/v1/tasks/${gone.id}`)).status, 410)
    assert.deepEqual((await show(`/v1/tasks/${tasks[0].id}/dependencies`)).data, [])
    assert.ok((await assertFolds(world)) >= 7)
  })

  it('deleting a column leaves its tasks in the project without a column', async () => {
    const { columns, tasks, dependency } = await board()
    const reply = await world.delete(`/v1/columns/${columns[0].id}`)
    assert.deepEqual(reply.body, { id: columns[0].id, object: 'column', deleted: true })
    await world.assertWritten({
      events: ['workflow.column.deleted', 'workflow.task.moved'],
      audit: ['columns.delete'],
    })
    const { updated } = await show(`/v1/tasks/${tasks[0].id}`)
    assert.deepEqual(await show(`/v1/tasks/${tasks[0].id}`), { ...tasks[0], column: null, updated, revision: 2 })
    assert.deepEqual(await show(`/v1/tasks/${tasks[1].id}`), tasks[1])
    assert.deepEqual((await show(`/v1/tasks/${tasks[0].id}/dependencies`)).data, [dependency])
    assert.equal((await world.get(`/v1/columns/${columns[0].id}`)).status, 410)
    await assertFolds(world)
  })

  it('deleting a portfolio leaves its projects without a portfolio, archived ones too', async () => {
    const portfolio = await world.make('/v1/portfolios', { workspace, name: 'Node' })
    const inside = { workspace, portfolio: portfolio.id }
    const active = await world.make('/v1/projects', { ...inside, name: 'Active' })
    const made = await world.make('/v1/projects', { ...inside, name: 'Archived' })
    const archived = (await world.post(`/v1/projects/${made.id}/archive`)).body
    const removed = await world.make('/v1/projects', { ...inside, name: 'Removed' })
    await world.delete(`/v1/projects/${removed.id}`)
    await world.markWritten()
    await world.delete(`/v1/portfolios/${portfolio.id}`)
    await world.assertWritten({
      events: ['workflow.portfolio.deleted', 'workflow.project.updated', 'workflow.project.updated'],
      audit: ['portfolios.delete'],
    })
    assert.deepEqual(await show(`/v1/projects/${active.id}`), { ...active, portfolio: null, revision: 2 })
    assert.deepEqual(await show(`/v1/projects/${archived.id}`), { ...archived, portfolio: null, revision: 3 })
    await assertFolds(world)
  })

  it('a project with very many tasks is archived in one commit and deleted in one commit', async () => {
    const project = await world.make('/v1/projects', { workspace, name: 'Large' })
    const data = Array.from({ length: 100 }, (_, i) => ({ title: `Task ${i}`, project: project.id }))
    for (let i = 0; i < 3; i++) await world.make('/v1/tasks/batch', { workspace, data })
    await world.markWritten()
    await world.post(`/v1/projects/${project.id}/archive`)
    await world.assertWritten({
      events: ['workflow.project.archived', ...Array(300).fill('workflow.task.updated')],
      audit: ['projects.archive'],
    })
    await world.delete(`/v1/projects/${project.id}`)
    await world.assertWritten({
      events: ['workflow.project.deleted', ...Array(300).fill('workflow.task.moved')],
      audit: ['projects.delete'],
    })
  })
})
