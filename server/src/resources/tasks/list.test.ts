import assert from 'node:assert/strict'
import { it } from 'node:test'
import { onEveryWorld } from '../../../test/world.ts'
import { newId } from '../../lib/ids.ts'
import { arrange, insertProject, insertTasks, workspaceOf } from './rows.test.ts'

type Shown = { id: string; title: string }

onEveryWorld('tasks.list', (world) => {
  async function titles(query: string): Promise<string> {
    const reply = await world.get(`/v1/tasks?${query}`)
    assert.equal(reply.status, 200, reply.text)
    return reply.body.data.map((task: Shown) => task.title).join()
  }

  async function refused(query: string): Promise<unknown[]> {
    const { status, body } = await world.get(`/v1/tasks?${query}`)
    return [status, body.error.code, body.error.param]
  }

  it('shows the 20 newest first, without deleted tasks and those of another realm', async () => {
    const workspace = await workspaceOf(world)
    const rows = await insertTasks(
      world,
      workspace,
      Array.from({ length: 25 }, (_, i) => (i === 24 ? { deleted_at: 1 } : {})),
    )
    await insertTasks(world, workspace, [{ realm: world.acme.realms.test, title: 'Test' }])
    const reply = await world.get(`/v1/tasks?workspace=${workspace.id}`)
    const expected = rows.slice(4, 24).reverse()
    assert.deepEqual(
      reply.body.data.map((task: Shown) => task.id),
      expected.map((row) => row.id),
    )
    assert.deepEqual([reply.body.has_more, reply.body.next_cursor], [true, expected.at(-1)?.id])
    const older = await world.get(`/v1/tasks?workspace=${workspace.id}&starting_after=${reply.body.next_cursor}`)
    assert.deepEqual([older.body.data.length, older.body.has_more, older.body.next_cursor], [4, false, null])
    const newer = await world.get(`/v1/tasks?workspace=${workspace.id}&limit=20&ending_before=${older.body.data[0].id}`)
    assert.deepEqual(newer.body.data, reply.body.data)
  })

  it('an item equals the answer to its GET', async () => {
    const workspace = await workspaceOf(world)
    const task = await world.make('/v1/tasks', { workspace: workspace.id, title: 'Same', labels: ['x'] })
    const { body } = await world.get(`/v1/tasks?workspace=${workspace.id}`)
    assert.deepEqual(body.data, [(await world.get(`/v1/tasks/${task.id}`)).body])
  })

  it('repeated parameters mean OR, different ones mean AND, and null selects tasks without a value', async () => {
    const workspace = await workspaceOf(world)
    const one = await insertProject(world, workspace)
    const two = await insertProject(world, workspace)
    await insertTasks(world, workspace, [
      { title: 'a', project: one.id, status: 'todo', assignee: 'usr_a' },
      { title: 'b', project: two.id, status: 'done', assignee: 'usr_b' },
      { title: 'c', project: null, status: 'todo', assignee: null, due_at: 5000 },
      { title: 'd', project: one.id, status: 'blocked', assignee: null, due_at: 4999 },
    ])
    const of = (query: string) => titles(`workspace=${workspace.id}&${query}`)
    assert.equal(await of(`project=${one.id}`), 'd,a')
    assert.equal(await of(`project=${one.id}&project=${two.id}`), 'd,b,a')
    assert.equal(await of('project=null'), 'c')
    assert.equal(await of(`project=null&project=${two.id}`), 'c,b')
    assert.equal(await of('status[]=todo&status[]=done'), 'c,b,a')
    assert.equal(await of('status=todo&status=todo'), 'c,a')
    assert.equal(await of('assignee=usr_a'), 'a')
    assert.equal(await of('assignee=null'), 'd,c')
    assert.equal(await of('assignee=null&assignee=usr_a&assignee=usr_b&status=todo'), 'c,a')
    assert.equal(await of('due_before=5'), 'd')
    assert.equal(await of('due_before=6'), 'd,c')
    assert.equal(await of('due_before=9007199254740991'), 'd,c')
  })

  it('tasks of archived projects are listed only on request', async () => {
    const workspace = await workspaceOf(world)
    await insertTasks(world, workspace, [{ title: 'active' }, { title: 'archived', is_archived: 1 }])
    const of = (query: string) => titles(`workspace=${workspace.id}${query}`)
    assert.equal(await of(''), 'active')
    assert.equal(await of('&is_archived=false'), 'active')
    assert.equal(await of('&is_archived=true'), 'archived')
    assert.equal(await of('&filter=title:a'), 'active')
    assert.equal(await of('&filter=is_archived=true'), 'archived')
    assert.equal(await of(`&filter=${encodeURIComponent('title:active OR is_archived=true')}`), 'archived,active')
    assert.equal(await of('&filter=is_archived=true&is_archived=false'), '')
  })

  it('a filter applies together with other parameters, and its faults are reported with their position', async () => {
    const workspace = await workspaceOf(world)
    await insertTasks(world, workspace, [
      { title: 'Beta', priority: 'high', priority_rank: 3, labels: '["sig/node"]' },
      { title: 'Alpha', priority: 'low', priority_rank: 1, status: 'done' },
    ])
    const of = (filter: string) => titles(`workspace=${workspace.id}&status=todo&filter=${encodeURIComponent(filter)}`)
    assert.equal(await of('priority >= low'), 'Beta')
    assert.equal(await of('BETA labels:"sig/node"'), 'Beta')
    assert.equal(await of('-priority:high'), '')
    const reply = await world.get('/v1/tasks?filter=priority+%3E%3D+maybe')
    assert.deepEqual(
      [reply.status, reply.body.error.code, reply.body.error.param],
      [400, 'invalid_query_parameter', 'filter'],
    )
    assert.match(reply.body.error.message, /13/)
  })

  it('the id of a saved filter selects by its expression', async () => {
    const workspace = await workspaceOf(world)
    await insertTasks(world, workspace, [{ title: 'x', status: 'done' }, { title: 'y' }])
    const base = { realm: world.acme.realms.live, created: 1, updated: 1, revision: 1, workspace: workspace.id }
    const view = { layout: 'list', group_by: null, columns: null, pinned: 0 }
    const more = { project: null, name: 'Done', description: null, sort: null, created_by: 'usr_1', ...view }
    const save = async (fields: { visibility: string; deleted_at: number | null }) => {
      const id = newId('flt', world.clock.now())
      await arrange(world, (tx) =>
        tx.insert('saved_filters', {
          ...base,
          ...more,
          id,
          filter: 'status = done',
          audience: fields.visibility,
          ...fields,
        }),
      )
      return id
    }
    const shared = await save({ visibility: 'team', deleted_at: null })
    const hidden = await save({ visibility: 'private', deleted_at: null })
    const deleted = await save({ visibility: 'team', deleted_at: 1 })
    assert.equal(await titles(`workspace=${workspace.id}&filter=${shared}`), 'x')
    for (const id of [hidden, deleted, newId('flt', 1)]) {
      assert.deepEqual(await refused(`filter=${id}`), [400, 'invalid_query_parameter', 'filter'])
    }
    const foreign = await world.get(`/v1/tasks?filter=${shared}`, { key: world.globex.key })
    assert.equal(foreign.status, 400)
  })

  it('unknown and foreign workspaces and projects are refused with the same answer', async () => {
    const workspace = await workspaceOf(world)
    const project = await insertProject(world, workspace)
    const bad = 'invalid_query_parameter'
    assert.deepEqual(await refused('workspace=wsp_none'), [400, bad, 'workspace'])
    assert.deepEqual(await refused('project=prj_none'), [400, bad, 'project'])
    assert.deepEqual(await refused('is_archived=yes'), [400, bad, 'is_archived'])
    assert.deepEqual(await refused('due_before=soon'), [400, bad, 'due_before'])
    assert.deepEqual(await refused('sort=size'), [400, bad, 'sort'])
    assert.deepEqual(await refused('sort=title,created,updated'), [400, bad, 'sort'])
    const foreign = await world.get(`/v1/tasks?project=${project.id}`, { key: world.globex.key })
    assert.deepEqual([foreign.status, foreign.body.error.param], [400, 'project'])
  })

  it('an id or key of this list is a cursor, also of a deleted task', async () => {
    const workspace = await workspaceOf(world)
    const other = await workspaceOf(world)
    const rows = await insertTasks(world, workspace, [{ title: 'a' }, { title: 'b', deleted_at: 1 }, { title: 'c' }])
    const of = (query: string) => titles(`workspace=${workspace.id}&${query}`)
    assert.equal(await of(`starting_after=${rows[1]!.id}`), 'a')
    assert.equal(await of(`ending_before=${rows[1]!.id}`), 'c')
    const made = await world.make('/v1/tasks', { workspace: workspace.id, title: 'd' })
    assert.equal(await of(`starting_after=${made.key}`), 'c,a')
    assert.deepEqual(await refused('starting_after=tsk_none'), [400, 'cursor_invalid', 'starting_after'])
    assert.deepEqual(await refused(`starting_after=${workspace.id}`), [400, 'cursor_invalid', 'starting_after'])
    assert.deepEqual(await refused(`workspace=${other.id}&ending_before=${rows[0]!.id}`), [
      400,
      'cursor_filter_mismatch',
      'ending_before',
    ])
    const foreign = await world.get(`/v1/tasks?starting_after=${rows[0]!.id}`, { key: world.globex.key })
    assert.equal(foreign.body.error.code, 'cursor_invalid')
  })

  it('items have exactly the selected fields', async () => {
    const workspace = await workspaceOf(world)
    const [row] = await insertTasks(world, workspace, [{}])
    const { body } = await world.get(`/v1/tasks?workspace=${workspace.id}&fields=id,key,assignee`)
    assert.deepEqual([body.data, body.fields_selected], [[{ id: row!.id, key: row!.key, assignee: null }], true])
  })
})
