/** Writes of the console for objects that `/v1` only reads. Events and audit entries name the user. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { addOperator, listOperators, removeOperator } from '../../src/console/operator/operators.ts'
import type { Reply } from '../call.ts'
import { giveUpMail } from '../dead-mail.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { join, ownerOf, refusal, tokenOf, Visitor } from './visitor.ts'

/** An answer, except for the request's id. */
function withoutRequest({ status, body, headers }: Reply): string {
  const { 'x-request-id': _id, date: _date, 'content-length': _length, ...rest } = headers as Record<string, unknown>
  return JSON.stringify([status, { ...body.error, request_id: '' }, rest])
}

onEveryWorld('In the console', (world, engine) => {
  const owner = openFirst(() => ownerOf(world))
  let member: Visitor
  let stranger: Visitor
  let workspace: string
  let person: string

  before(async () => {
    member = await join(owner, 'bo@acme.example', 'member')
    stranger = await ownerOf(world, world.globex)
    workspace = (await world.make('/v1/workspaces', { title: 'Kepler' })).id
    person = (await member.arrive()).user.id
    await world.markWritten()
  })

  /** Asserts that the newest audit entries name the user. */
  const assertAuthor = async (...actions: string[]): Promise<void> => {
    const { data } = await world.get(`/v1/audit_logs?limit=${actions.length}`).then(({ body }) => body)
    assert.deepEqual(
      data.map(({ action, actor }: { action: string; actor: object }) => ({ action, actor })),
      actions.toReversed().map((action) => ({ action, actor: { type: 'user', id: person } })),
    )
  }

  it('a member creates, changes and deletes a saved filter', async () => {
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
      events: ['created', 'updated', 'deleted'].map((verb) => `workflow.saved_filter.${verb}`),
      audit: ['saved_filters.create', 'saved_filters.update', 'saved_filters.delete'],
    })
    await assertAuthor('saved_filters.create', 'saved_filters.update', 'saved_filters.delete')
  })

  it('a member creates, changes and deletes a task template', async () => {
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

  it('members submit expenses; admins and owners approve them', async () => {
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

  it('a member imports a drawing, archives its board and restores it', async () => {
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

  it('a member runs a flow manually', async () => {
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

  it('anyone but an operator gets the answer of a missing endpoint for the operator’s report', async () => {
    for (const visitor of [member, stranger, new Visitor(world.server.url)]) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const [asked, missing] = [await visitor.send(method, 'operator'), await visitor.send(method, 'nothing')]
        assert.equal(asked.status, 404)
        assert.equal(withoutRequest(asked), withoutRequest(missing))
      }
    }
    assert.deepEqual(
      [(await owner.arrive()).operator, (await member.arrive()).operator, (await stranger.arrive()).operator],
      [true, false, false],
    )
  })

  it('an owner of another organization with an operator’s address is not an operator', async () => {
    const { url } = await stranger.must('POST', 'invitations', { email: 'owner@acme.example', role: 'owner' })
    const mallory = new Visitor(world.server.url)
    await mallory.arrive()
    const chosen = 'mallory has this one'
    const accepted = await mallory.must('POST', 'set-up', { token: tokenOf(url), password: chosen })
    assert.equal(accepted.operator, false)
    assert.equal((await mallory.get('operator')).status, 404)
  })

  it('the installation has several operators, who can be added and removed', async () => {
    const { services } = world
    const both = { email: 'bo@acme.example' }
    const added = await addOperator(services, both)
    assert.deepEqual([added.organization, added.user, added.email], [world.acme.id, person, 'bo@acme.example'])
    assert.equal((await member.arrive()).operator, true)
    assert.equal((await member.get('operator')).status, 200)
    assert.deepEqual(
      (await listOperators(services)).map(({ email }) => email),
      ['owner@acme.example', 'bo@acme.example'],
    )
    assert.deepEqual(await addOperator(services, both), added)
    await removeOperator(services, both)
    assert.equal((await member.get('operator')).status, 404)
    await assert.rejects(removeOperator(services, both), { code: 'resource_not_found' })
    await assert.rejects(addOperator(services, { email: 'unknown@acme.example' }), { code: 'resource_not_found' })
    await assert.rejects(addOperator(services, { email: 'owner@acme.example' }), { code: 'resource_conflict' })
    const named = { email: 'owner@acme.example', organization: world.acme.id }
    assert.equal((await addOperator(services, named)).organization, world.acme.id)
  })

  it('an operator sees the state of the installation, without names of organizations', async () => {
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

  it('an operator sees what was given up, without texts and foreign addresses, a page at a time', async () => {
    const bo = await giveUpMail(world, world.acme, person, '550 <bo@acme.example> is full')
    const foreign = await giveUpMail(world, world.globex, world.globex.user, '550 <eve@globex.example>: unknown')
    const list = await owner.must('GET', 'operator/dead-letters')
    const read = ({ id, kind, user, reason }: Record<string, string>) => ({ id, kind, user, reason })
    assert.deepEqual(list.data.map(read), [
      { id: foreign, kind: 'notice', user: world.globex.user, reason: '550 (address) unknown' },
      { id: bo, kind: 'notice', user: person, reason: '550 <bo@acme.example> is full' },
    ])
    assert.deepEqual([list.next_cursor, list.total], [null, 2])
    for (const secret of ['secret', 'eve@', 'Globex']) assert.ok(!JSON.stringify(list).includes(secret), secret)
    for (let i = 0; i < 49; i++) await giveUpMail(world, world.acme, person)
    const first = await owner.must('GET', 'operator/dead-letters')
    const second = await owner.must('GET', `operator/dead-letters?cursor=${first.next_cursor}`)
    assert.deepEqual([first.data.length, second.data.map(({ id }: { id: string }) => id)], [50, [bo]])
    assert.equal(second.next_cursor, null)
  })

  it('an operator sends a dead letter again, once; its organization’s audit log says who', async () => {
    const id = await giveUpMail(world, world.acme, person)
    assert.deepEqual(await owner.must('POST', `operator/dead-letters/${id}/retry`), { id })
    const [entry] = (await world.get('/v1/audit_logs?limit=1')).body.data
    const user = (await owner.arrive()).user.id
    const target = { object: 'mail', id }
    assert.deepEqual(
      [entry.action, entry.actor, entry.target],
      ['dead_letters.retry', { type: 'user', id: user }, target],
    )
    assert.deepEqual(refusal(await owner.send('POST', `operator/dead-letters/${id}/retry`)), [
      404,
      'resource_not_found',
      'id',
    ])
    assert.deepEqual(refusal(await member.send('POST', `operator/dead-letters/${id}/retry`)), [
      404,
      'resource_not_found',
    ])
    assert.deepEqual(refusal(await stranger.get('operator/dead-letters')), [404, 'resource_not_found'])
  })
})
