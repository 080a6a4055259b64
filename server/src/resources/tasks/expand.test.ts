import assert from 'node:assert/strict'
import { it } from 'node:test'
import { onEveryWorld } from '../../../test/world.ts'
import { showColumn } from '../columns/column.ts'
import { showPortfolio } from '../portfolios/portfolio.ts'
import { showProject } from '../projects/project.ts'
import { allBut, insertColumn, insertPortfolio, insertProject, insertTasks, workspaceOf } from './rows.test.ts'

onEveryWorld('expand', (world) => {
  it('ids become objects in lists and in single answers', async () => {
    const workspace = await workspaceOf(world)
    const portfolio = await insertPortfolio(world, workspace)
    const project = await insertProject(world, workspace, { portfolio: portfolio.id })
    const column = await insertColumn(world, project)
    const place = { project: project.id, column: column.id }
    const [full, empty] = [
      await world.make('/v1/tasks', { workspace: workspace.id, title: 'a', assignee: world.acme.user, ...place }),
      await world.make('/v1/tasks', { workspace: workspace.id, title: 'b' }),
    ]
    const query = 'expand=assignee,column,project.portfolio'
    const expanded = (await world.get(`/v1/tasks/${full.key}?${query}`)).body
    const { assignee, ...rest } = expanded
    assert.deepEqual([assignee.object, assignee.user, assignee.status], ['member', world.acme.user, 'active'])
    const { assignee: _, ...plain } = full
    assert.deepEqual(rest, {
      ...plain,
      column: showColumn(column),
      project: { ...showProject(project), portfolio: showPortfolio(portfolio) },
    })
    const list = await world.get(`/v1/tasks?workspace=${workspace.id}&${query}`)
    assert.deepEqual(list.body.data, [empty, expanded])
    const flat = await world.get(`/v1/tasks?workspace=${workspace.id}&expand=project&fields=id,project`)
    assert.deepEqual(flat.body.data, [
      { id: empty.id, project: null },
      { id: full.id, project: showProject(project) },
    ])
  })

  it('deleted objects are marked as deleted', async () => {
    const workspace = await workspaceOf(world)
    const portfolio = await insertPortfolio(world, workspace, { deleted_at: 1 })
    const project = await insertProject(world, workspace, { portfolio: portfolio.id })
    const column = await insertColumn(world, project, { deleted_at: 1 })
    const [row] = await insertTasks(world, workspace, [
      { project: project.id, column: column.id, assignee: 'usr_removed' },
    ])
    const { body } = await world.get(`/v1/tasks/${row!.id}?expand=project.portfolio,project,column,assignee`)
    assert.deepEqual(body.column, { id: column.id, object: 'column', deleted: true })
    assert.deepEqual(body.assignee, { id: 'usr_removed', object: 'member', deleted: true })
    assert.deepEqual(body.project, {
      ...showProject(project),
      portfolio: { id: portfolio.id, object: 'portfolio', deleted: true },
    })
  })

  it('each expanded object needs its read scope', async () => {
    const workspace = await workspaceOf(world)
    const [row] = await insertTasks(world, workspace, [{}])
    const { secret: withoutApi } = await world.key({ scopes: allBut('api:read') })
    const { secret: withoutProjects } = await world.key({ scopes: allBut('projects:read') })
    const status = async (expand: string, key: string) => [
      (await world.get(`/v1/tasks/${row!.id}?expand=${expand}`, { key })).body.error?.code,
      (await world.get(`/v1/tasks?expand=${expand}`, { key })).body.error?.code,
    ]
    const refused = ['insufficient_scope', 'insufficient_scope']
    const passed = [undefined, undefined]
    assert.deepEqual(await status('assignee', withoutApi), refused)
    assert.deepEqual(await status('project,column', withoutApi), passed)
    for (const name of ['project', 'column', 'project.portfolio']) {
      assert.deepEqual(await status(name, withoutProjects), refused)
    }
    assert.deepEqual(await status('assignee', withoutProjects), passed)
  })

  it('a path that cannot be expanded is refused by name', async () => {
    for (const expand of ['workspace', 'project.workspace', 'assignee.user', '', 'project,', 'project,project']) {
      const reply = await world.get(`/v1/tasks?expand=${expand}`)
      assert.deepEqual(
        [reply.status, reply.body.error.code, reply.body.error.param],
        [400, 'invalid_query_parameter', 'expand'],
      )
    }
  })
})
