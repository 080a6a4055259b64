/** The counts of a board's columns, of which a page reads only a part. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { onEveryWorld, openFirst } from '../world.ts'
import { ownerOf } from './visitor.ts'

onEveryWorld('The counts of columns', (world) => {
  const owner = openFirst(() => ownerOf(world))
  const stranger = openFirst(() => ownerOf(world, world.globex))
  let workspace: string

  before(async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Kepler' })).id
  })

  const newProject = async () => (await world.make('/v1/projects', { workspace, name: 'Orbit' })).id as string
  const newColumn = async (project: string) =>
    (await world.make('/v1/columns', { workspace, project, name: 'Open' })).id as string
  const newTask = async (project: string, column: string | null) =>
    (await world.make('/v1/tasks', { workspace, title: 'Burn', project, column })).id as string
  const counts = (project: string) => owner.must('GET', `projects/${project}/task-counts`)

  it('are exact after tasks are created, moved and deleted', async () => {
    const project = await newProject()
    const [open, full, empty] = [await newColumn(project), await newColumn(project), await newColumn(project)]
    assert.deepEqual(await counts(project), { columns: {}, none: 0 })
    const first = await newTask(project, open)
    const second = await newTask(project, full)
    await newTask(project, full)
    await newTask(project, null)
    await newTask(await newProject(), null)
    assert.deepEqual(await counts(project), { columns: { [open]: 1, [full]: 2 }, none: 1 })
    await world.post(`/v1/tasks/${first}/move`, { column: full })
    await world.delete(`/v1/tasks/${second}`)
    assert.deepEqual(await counts(project), { columns: { [full]: 2 }, none: 1 })
    await world.delete(`/v1/columns/${full}`)
    assert.deepEqual(await counts(project), { columns: {}, none: 3 })
    assert.equal(empty.startsWith('col_'), true)
  })

  it('count the tasks of an archived project', async () => {
    const project = await newProject()
    const column = await newColumn(project)
    await newTask(project, column)
    await world.post(`/v1/projects/${project}/archive`, {})
    assert.deepEqual(await counts(project), { columns: { [column]: 1 }, none: 0 })
  })

  it('are those of the tasks that match a filter', async () => {
    const project = await newProject()
    const [open, full] = [await newColumn(project), await newColumn(project)]
    const matching = (filter: string) =>
      owner.must('GET', `projects/${project}/task-counts?filter=${encodeURIComponent(filter)}`)
    await newTask(project, open)
    for (let n = 0; n < 3; n++) await world.patch(`/v1/tasks/${await newTask(project, full)}`, { priority: 'high' })
    await world.patch(`/v1/tasks/${await newTask(project, null)}`, { priority: 'high' })
    await world.patch(`/v1/tasks/${await newTask(await newProject(), null)}`, { priority: 'high' })
    assert.deepEqual(await matching('priority = high'), { columns: { [full]: 3 }, none: 1 })
    assert.deepEqual(await matching('priority = none OR column = none'), { columns: { [open]: 1 }, none: 1 })
    assert.deepEqual(await matching('title = nothing'), { columns: {}, none: 0 })
    await world.post(`/v1/projects/${project}/archive`, {})
    assert.deepEqual(await matching('priority = high'), { columns: { [full]: 3 }, none: 1 })
    const wrong = await owner.get(`projects/${project}/task-counts?filter=${encodeURIComponent('status = zzz')}`)
    assert.deepEqual([wrong.status, wrong.body.error.param], [400, 'filter'])
  })

  it('answer 404 for a project of another organization, an unknown and a deleted one', async () => {
    const project = await newProject()
    const deleted = await newProject()
    await world.delete(`/v1/projects/${deleted}`)
    const refused = [
      await stranger.get(`projects/${project}/task-counts`),
      await owner.get('projects/prj_none/task-counts'),
      await owner.get(`projects/${deleted}/task-counts`),
    ]
    const answers = refused.map(({ status, body }) => [status, body.error.code])
    assert.deepEqual(answers, Array(3).fill([404, 'resource_not_found']))
  })
})
