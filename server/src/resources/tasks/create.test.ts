import assert from 'node:assert/strict'
import { it } from 'node:test'
import { onEveryWorld } from '../../../test/world.ts'
import { insertColumn, insertMember, insertProject, workspaceOf } from './rows.test.ts'

onEveryWorld('tasks.create and tasks.batch', (world) => {
  it('a task created with only a title is todo and has no other values', async () => {
    const workspace = await workspaceOf(world)
    await world.markWritten()
    const task = await world.make('/v1/tasks', { workspace: workspace.id, title: 'Graduate to beta' })
    assert.deepEqual(task, {
      id: task.id,
      object: 'task',
      created: 1785844800,
      updated: 1785844800,
      workspace: workspace.id,
      number: 1,
      key: 'KEP-1',
      project: null,
      column: null,
      title: 'Graduate to beta',
      description: null,
      mentions: [],
      status: 'todo',
      priority: 'none',
      assignee: null,
      creator: { type: 'organization', id: world.acme.id },
      start_at: null,
      due_at: null,
      completed_at: null,
      is_archived: false,
      labels: [],
      custom_fields: {},
      attachments: [],
      parent: null,
      subtask_count: 0,
      subtask_done_count: 0,
      position: 1024,
      template: null,
      revision: 1,
    })
    await world.assertWritten({ events: ['workflow.task.created'], audit: ['tasks.create'] })
    assert.deepEqual((await world.get(`/v1/tasks/${task.id}`)).body, task)
  })

  it('a task keeps every field as sent', async () => {
    const workspace = await workspaceOf(world)
    const project = await insertProject(world, workspace)
    const column = await insertColumn(world, project)
    const sent = {
      project: project.id,
      column: column.id,
      title: 'Ünïcode 工作 🙂',
      description: 'Line one\nline two',
      status: 'done',
      priority: 'urgent',
      assignee: world.acme.user,
      due_at: 1785900000,
      completed_at: 1785800000,
      labels: ['sig/node', 'area/security'],
      custom_fields: { stage: 'beta', effort: 2.5, tracked: true, owners: ['a', 'b'] },
    }
    const task = await world.make('/v1/tasks', { workspace: workspace.id, ...sent })
    for (const [field, value] of Object.entries(sent)) assert.deepEqual(task[field], value, field)
  })

  it('numbers count per workspace, without gaps after refused requests', async () => {
    const one = await workspaceOf(world, 'Alpha')
    const two = await workspaceOf(world, 'Beta')
    const keys = []
    for (const workspace of [one, two, one]) {
      const task = await world.make('/v1/tasks', { workspace: workspace.id, title: 'Next' })
      keys.push([task.number, task.key.split('-')[0]])
      await world.post('/v1/tasks', { workspace: workspace.id, title: 'No', project: 'prj_none' })
    }
    assert.deepEqual(keys, [
      [1, one.key],
      [1, two.key],
      [2, one.key],
    ])
  })

  it('tasks created concurrently get different numbers', async () => {
    const workspace = await workspaceOf(world, 'Crowd')
    const made = await Promise.all(
      Array.from({ length: 30 }, () => world.make('/v1/tasks', { workspace: workspace.id, title: 'One of many' })),
    )
    const numbers = made.map((task) => task.number).sort((a, b) => a - b)
    assert.deepEqual(
      numbers,
      Array.from({ length: 30 }, (_, i) => i + 1),
    )
  })

  it('a task has a completion time exactly if it is done', async () => {
    const workspace = await workspaceOf(world)
    const made = async (fields: object) => {
      const reply = await world.post('/v1/tasks', { workspace: workspace.id, title: 'State', ...fields })
      return reply.status === 200
        ? [reply.body.status, reply.body.completed_at]
        : [reply.status, reply.body.error.code, reply.body.error.param]
    }
    assert.deepEqual(await made({ status: 'done' }), ['done', 1785844800])
    assert.deepEqual(await made({ completed_at: 5 }), ['done', 5])
    assert.deepEqual(await made({ completed_at: 0 }), ['done', 0])
    assert.deepEqual(await made({ completed_at: null }), ['todo', null])
    assert.deepEqual(await made({ status: 'done', completed_at: 7 }), ['done', 7])
    assert.deepEqual(await made({ status: 'todo', completed_at: null }), ['todo', null])
    const contradiction = [400, 'invalid_request_body', 'completed_at']
    assert.deepEqual(await made({ status: 'todo', completed_at: 7 }), contradiction)
    assert.deepEqual(await made({ status: 'done', completed_at: null }), contradiction)
  })

  it('null custom fields and empty descriptions are not stored', async () => {
    const workspace = await workspaceOf(world)
    const fields = { description: '', custom_fields: { kept: 0, gone: null } }
    const task = await world.make('/v1/tasks', { workspace: workspace.id, title: 'Empty', ...fields })
    assert.deepEqual([task.description, task.custom_fields], [null, { kept: 0 }])
  })

  it('values outside the bounds and words of their fields are refused by name', async () => {
    const workspace = await workspaceOf(world)
    const cases: [object, string][] = [
      [{ title: '' }, 'title'],
      [{ status: 'paused' }, 'status'],
      [{ priority: 'P1' }, 'priority'],
      [{ labels: ['a', 'a'] }, 'labels'],
      [{ due_at: 9007199254740991 }, 'due_at'],
      [{ due_at: 1.5 }, 'due_at'],
      [{ position: 1 }, 'position'],
      [{ custom_fields: { Stage: 1 } }, 'custom_fields.Stage'],
    ]
    for (const [fields, param] of cases) {
      const reply = await world.post('/v1/tasks', { workspace: workspace.id, title: 'Bad', ...fields })
      assert.deepEqual([reply.status, reply.body.error.param], [400, param], reply.text)
    }
  })

  it('all unusable references are refused with the same answer', async () => {
    const workspace = await workspaceOf(world)
    const other = await workspaceOf(world)
    const project = await insertProject(world, workspace)
    const elsewhere = await insertProject(world, other)
    const deleted = await insertProject(world, workspace, { deleted_at: 1 })
    const foreign = await insertProject(world, workspace, {}, world.globex)
    const column = await insertColumn(world, await insertProject(world, workspace))
    const inactive = await insertMember(world, 'inactive')
    const cases: [object, string][] = [
      [{ workspace: 'wsp_none' }, 'workspace'],
      [{ project: 'prj_none' }, 'project'],
      [{ project: elsewhere.id }, 'project'],
      [{ project: deleted.id }, 'project'],
      [{ project: foreign.id }, 'project'],
      [{ project: project.id, column: 'col_none' }, 'column'],
      [{ project: project.id, column: column.id }, 'column'],
      [{ column: column.id }, 'column'],
      [{ assignee: 'usr_none' }, 'assignee'],
      [{ project: project.id, assignee: project.id }, 'assignee'],
      [{ assignee: world.globex.user }, 'assignee'],
      [{ assignee: inactive.user }, 'assignee'],
    ]
    await world.markWritten()
    for (const [fields, param] of cases) {
      const reply = await world.post('/v1/tasks', { workspace: workspace.id, title: 'Bad', ...fields })
      const { code, param: named } = reply.body.error
      assert.deepEqual([reply.status, code, named], [400, 'invalid_request_body', param], reply.text)
    }
    await world.assertWritten({ events: [], audit: [] })
  })

  it('an archived project is a conflict', async () => {
    const workspace = await workspaceOf(world)
    const project = await insertProject(world, workspace, { status: 'archived', archived_at: 1 })
    const reply = await world.post('/v1/tasks', { workspace: workspace.id, title: 'Late', project: project.id })
    assert.deepEqual([reply.status, reply.body.error.code], [409, 'resource_conflict'])
  })

  it('a batch creates all its tasks in the order sent, in one commit', async () => {
    const workspace = await workspaceOf(world, 'Batch Works')
    const project = await insertProject(world, workspace)
    const data = Array.from({ length: 100 }, (_, i) => ({ title: `Task ${i}`, project: project.id }))
    await world.markWritten()
    const reply = await world.post('/v1/tasks/batch', { workspace: workspace.id, data })
    const { object, url, has_more, next_cursor, data: made } = reply.body
    assert.deepEqual([object, url, has_more, next_cursor], ['list', '/v1/tasks', false, null])
    assert.deepEqual(
      made.map((task: { title: string; number: number }) => [task.title, task.number]),
      data.map((task, i) => [task.title, i + 1]),
    )
    await world.assertWritten({ events: data.map(() => 'workflow.task.created'), audit: ['tasks.batch'] })
    assert.equal((await world.make('/v1/tasks', { workspace: workspace.id, title: 'Then' })).number, 101)
  })

  it('a batch with one invalid task creates none and names the field', async () => {
    const workspace = await workspaceOf(world)
    await world.markWritten()
    const cases: [object, string, number][] = [
      [{ title: '' }, 'data[1].title', 400],
      [{ title: 'x', workspace: workspace.id }, 'data[1].workspace', 400],
      [{ title: 'x', project: 'prj_none' }, 'data[1].project', 400],
      [{ title: 'x', assignee: 'usr_none' }, 'data[1].assignee', 400],
      [{ title: 'x', status: 'todo', completed_at: 1 }, 'data[1].completed_at', 400],
    ]
    for (const [task, param, status] of cases) {
      const reply = await world.post('/v1/tasks/batch', { workspace: workspace.id, data: [{ title: 'Good' }, task] })
      assert.deepEqual([reply.status, reply.body.error.param], [status, param], reply.text)
    }
    for (const data of [[], Array.from({ length: 101 }, () => ({ title: 'x' }))]) {
      const reply = await world.post('/v1/tasks/batch', { workspace: workspace.id, data })
      assert.deepEqual([reply.status, reply.body.error.param], [400, 'data'])
    }
    await world.assertWritten({ events: [], audit: [] })
    assert.equal((await world.make('/v1/tasks', { workspace: workspace.id, title: 'First' })).number, 1)
  })
})
