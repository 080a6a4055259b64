import assert from 'node:assert/strict'
import { it } from 'node:test'
import { onEveryWorld } from '../../../test/world.ts'
import { insertProject, insertTasks, workspaceOf } from './rows.test.ts'

onEveryWorld('tasks.count', (world) => {
  async function count(query: string): Promise<number> {
    const reply = await world.get(`/v1/tasks/count?${query}`)
    assert.equal(reply.status, 200, reply.text)
    return reply.body.count
  }

  it('counts the tasks that the list with the same parameters shows', async () => {
    const workspace = await workspaceOf(world)
    const project = await insertProject(world, workspace)
    await insertTasks(world, workspace, [
      { project: project.id, status: 'done', due_at: 1000 },
      { project: project.id },
      { status: 'done', assignee: 'usr_a' },
      { is_archived: 1 },
      { deleted_at: 1 },
    ])
    const of = (query: string) => count(`workspace=${workspace.id}${query}`)
    assert.equal(await of(''), 3)
    assert.equal(await of('&status=done&status=todo'), 3)
    assert.equal(await of(`&project=${project.id}&project=null&status=done`), 2)
    assert.equal(await of('&assignee=null'), 2)
    assert.equal(await of('&due_before=2'), 1)
    assert.equal(await of('&is_archived=true'), 1)
    assert.equal(await of('&filter=status=done'), 2)
    assert.equal(await of('&filter=is_archived:*'), 4)
  })

  it('a count is cached for 60 seconds, for its realm only', async () => {
    const workspace = await workspaceOf(world)
    const first = await world.get(`/v1/tasks/count?workspace=${workspace.id}&status=todo&status=done`)
    const computed_at = Math.floor(world.clock.now() / 1000)
    assert.deepEqual(first.body, { object: 'task_count', count: 0, computed_at, expires_at: computed_at + 60 })
    assert.equal(first.headers['x-ratelimit-cost'], '50')
    await world.make('/v1/tasks', { workspace: workspace.id, title: 'One' })
    world.clock.advance(59_999)
    const again = await world.get(`/v1/tasks/count?status[]=done&status=todo&workspace=${workspace.id}`)
    assert.deepEqual(again.body, first.body)
    world.clock.advance(1)
    assert.equal(await count(`status=done&status=todo&workspace=${workspace.id}`), 1)
    const all = await count('')
    assert.ok(all > 0)
    const other = await world.get('/v1/tasks/count', { key: world.globex.key })
    const test = await world.get('/v1/tasks/count', { key: world.acme.testKey })
    assert.deepEqual([other.body.count, test.body.count], [0, 0])
  })

  it('refuses what the list refuses', async () => {
    for (const param of [
      'workspace=wsp_x',
      'project=prj_x',
      'filter=a%20b)',
      'is_archived=1',
      'sort=title',
      'limit=1',
    ]) {
      const reply = await world.get(`/v1/tasks/count?${param}`)
      const [name] = param.split('=')
      assert.deepEqual(
        [reply.status, reply.body.error.code, reply.body.error.param],
        [400, 'invalid_query_parameter', name],
      )
    }
  })
})
