/** What people write in the console and the contract only reads: always in their own name. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { onEveryEngine } from '../engines.ts'
import { openWorld, type World } from '../world.ts'
import { join, ownerOf, refusal, type Visitor } from './visitor.ts'

onEveryEngine('In the console', (engine) => {
  let world: World
  let owner: Visitor
  let member: Visitor
  let stranger: Visitor
  let workspace: string
  let person: string

  before(async () => {
    world = await openWorld(engine)
    owner = await ownerOf(world)
    member = await join(owner, 'bo@acme.example', 'member')
    stranger = await ownerOf(world, world.globex)
    workspace = (await world.make('/v1/workspaces', { title: 'Kepler' })).id
    person = (await member.arrive()).user.id
    await world.markWritten()
  })
  after(() => world.close())

  /** The newest audit entries name the person. */
  const assertAuthor = async (...actions: string[]): Promise<void> => {
    const { data } = await world.get(`/v1/audit_logs?limit=${actions.length}`).then(({ body }) => body)
    assert.deepEqual(
      data.map(({ action, actor }: { action: string; actor: object }) => ({ action, actor })),
      actions.toReversed().map((action) => ({ action, actor: { type: 'user', id: person } })),
    )
  }

  it('a member writes, changes and deletes a filter for the team', async () => {
    const sent = { workspace, name: 'Late', filter: 'priority >= high' }
    const made = await member.must('POST', 'saved-filters', sent)
    assert.deepEqual([made.name, made.created_by], ['Late', person])
    const changed = await member.must('PATCH', `saved-filters/${made.id}`, { filter: 'labels:late', sort: '-due_at' })
    assert.deepEqual([changed.filter, changed.sort, changed.revision], ['labels:late', '-due_at', 2])
    assert.equal((await world.get(`/v1/saved_filters/${made.id}`)).body.filter, 'labels:late')
    await member.must('PATCH', `saved-filters/${made.id}`, { sort: '-due_at' })
    const wrong = await member.patch(`saved-filters/${made.id}`, { filter: 'priority >' })
    assert.deepEqual(refusal(wrong), [400, 'invalid_request_body', 'filter'])
    assert.equal((await stranger.patch(`saved-filters/${made.id}`, { name: 'Mine' })).status, 404)
    await member.must('DELETE', `saved-filters/${made.id}`, {})
    assert.equal((await world.get(`/v1/saved_filters/${made.id}`)).status, 410)
    assert.deepEqual(refusal(await member.patch(`saved-filters/${made.id}`, { name: 'x' })), [410, 'resource_deleted'])
    await world.assertWritten({
      events: [],
      audit: ['saved_filters.create', 'saved_filters.update', 'saved_filters.delete'],
    })
    await assertAuthor('saved_filters.create', 'saved_filters.update', 'saved_filters.delete')
  })

  it('a member writes, changes and deletes a template', async () => {
    const sent = { workspace, name: 'Bug', defaults: { title: 'Bug: ', labels: ['bug'] } }
    const made = await member.must('POST', 'task-templates', sent)
    const changed = await member.must('PATCH', `task-templates/${made.id}`, { defaults: { title: 'A bug' } })
    assert.deepEqual([changed.defaults.title, changed.defaults.labels, changed.revision], ['A bug', [], 2])
    const wrong = await member.patch(`task-templates/${made.id}`, { defaults: { status: 'never' } })
    assert.deepEqual(refusal(wrong), [400, 'invalid_request_body', 'defaults.status'])
    await member.must('DELETE', `task-templates/${made.id}`, {})
    assert.equal((await world.get(`/v1/task_templates/${made.id}`)).status, 410)
    await assertAuthor('task_templates.create', 'task_templates.update', 'task_templates.delete')
    await world.markWritten()
  })

  it('members hand expenses in; admins and owners decide', async () => {
    const expense = {
      workspace,
      category: 'Travel',
      expense_date: '2026-08-03',
      currency: 'EUR',
      gross_amount_minor: 100,
    }
    const { id } = await world.make('/v1/expenses', expense)
    assert.equal((await member.must('POST', `expenses/${id}/status`, { status: 'submitted' })).status, 'submitted')
    await assertAuthor('expenses.update')
    const early = await member.post(`expenses/${id}/status`, { status: 'approved' })
    assert.deepEqual(refusal(early), [403, 'role_required'])
    await owner.must('POST', `expenses/${id}/status`, { status: 'approved' })
    const back = await owner.post(`expenses/${id}/status`, { status: 'draft' })
    assert.deepEqual(refusal(back), [409, 'resource_conflict', 'status'])
    assert.equal((await stranger.post(`expenses/${id}/status`, { status: 'submitted' })).status, 404)
    await world.assertWritten({
      events: ['workflow.expense.created', 'workflow.expense.updated', 'workflow.expense.updated'],
      audit: ['expenses.create', 'expenses.update', 'expenses.update'],
    })
  })

  it('a member imports a drawing, archives its board and brings it back', async () => {
    const element = { id: 'a', type: 'rectangle', x: 0, y: 0, width: 100, height: 50 }
    const scene = JSON.stringify({ type: 'excalidraw', version: 2, elements: [element] })
    const board = await member.must('POST', 'boards/import', { scene, name: '<img src=x onerror=alert(1)>' })
    assert.deepEqual([board.owner, board.item_count], [person, 1])
    await world.delete(`/v1/boards/${board.id}`)
    assert.equal((await member.must('POST', `boards/${board.id}/restore`, {})).status, 'active')
    await assertAuthor('boards.restore')
    const damaged = await member.post('boards/import', { scene: '{', name: 'Broken' })
    assert.equal(damaged.status, 400)
    assert.deepEqual(refusal(await member.post('boards/import', { scene })), [400, 'invalid_request_body', 'name'])
    assert.equal((await stranger.post(`boards/${board.id}/restore`)).status, 404)
    await world.markWritten()
  })

  it('a member starts a flow by hand', async () => {
    const task = await world.make('/v1/tasks', { workspace, title: 'Look at me' })
    const nodes = [
      { id: 'by_hand', type: 'trigger.manual', config: {} },
      { id: 'say', type: 'task.comment', config: { body: { $template: 'Seen' } } },
    ]
    const graph = { schema_version: 1, nodes, edges: [{ source: 'by_hand', target: 'say' }] }
    const flow = await world.make('/v1/automation_flows', { workspace, name: 'By hand', graph })
    const path = `automation-flows/${flow.id}/run`
    assert.deepEqual(refusal(await member.post(path, { task: task.id })), [409, 'resource_conflict', 'id'])
    const preview = await world.make(`/v1/automation_flows/${flow.id}/preview`, { workspace, task: task.id })
    const activation = { workspace, preview_token: preview.preview_token, scope_acknowledged: true }
    await world.make(`/v1/automation_flows/${flow.id}/activate`, activation)
    const run = await member.must('POST', path, { task: task.key })
    assert.deepEqual([run.status, run.task], ['queued', task.id])
    assert.equal((await stranger.post(path, { task: task.id })).status, 404)
  })

  it('an owner, and nobody else, sees how the installation fares', async () => {
    assert.deepEqual(refusal(await member.get('operator')), [403, 'role_required'])
    const report = await owner.must('GET', 'operator')
    assert.equal(report.database.engine, engine === 'sqlite' ? 'SQLite' : 'PostgreSQL')
    assert.deepEqual(report.database.pending_migrations, [])
    assert.ok(report.database.bytes > 0 && report.disk.free_bytes > 0 && report.process.resident_bytes > 0)
    assert.ok(report.workers.some(({ name }: { name: string }) => name === 'webhook_deliveries'))
    assert.deepEqual(
      report.queues.map(({ name }: { name: string }) => name),
      ['deliveries', 'automation runs', 'exports'],
    )
    const text = JSON.stringify(report)
    assert.ok(!text.includes('Globex') && !text.includes(world.globex.id))
  })
})
