import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { onEveryWorld } from '../../../test/world.ts'
import { setExpense } from '../expenses/write.ts'

onEveryWorld('an attached file', (world) => {
  let workspace: string
  let other: string
  before(async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Kubernetes' })).id
    other = (await world.make('/v1/workspaces', { title: 'Another' })).id
  })

  let count = 0
  const upload = async (where = workspace): Promise<string> => {
    const path = `/v1/files?workspace=${where}&name=a`
    const reply = await world.call('POST', path, { raw: `Content ${++count}` })
    assert.equal(reply.status, 200, reply.text)
    return reply.body.id
  }
  const task = (fields: object = {}) => world.make('/v1/tasks', { workspace, title: 'With files', ...fields })
  const expense = (fields: object = {}) =>
    world.make('/v1/expenses', {
      ...{ workspace, category: 'Travel', expense_date: '2026-08-03', currency: 'EUR', gross_amount_minor: 100 },
      ...fields,
    })
  const attachedTo = async (file: string) => (await world.get(`/v1/files/${file}`)).body.attached_to

  it('is on tasks, comments and expenses, which have none by default, and names them', async () => {
    const [one, two] = [await upload(), await upload()]
    const plain = await task()
    assert.deepEqual([plain.attachments, (await expense()).receipts], [[], []])
    const made = await task({ attachments: [two, one] })
    const path = `/v1/tasks/${made.id}/comments`
    assert.deepEqual((await world.make(path, { workspace, body: 'None' })).attachments, [])
    const comment = await world.make(path, { workspace, body: 'See', attachments: [one] })
    const spent = await expense({ receipts: [one] })
    assert.deepEqual([made.attachments, comment.attachments, spent.receipts], [[two, one], [one], [one]])
    assert.deepEqual(
      (await attachedTo(one)).map((each: { object: string; id: string }) => [each.object, each.id]),
      [
        ['comment', comment.id],
        ['expense', spent.id],
        ['task', made.id],
      ],
    )
    const { data } = (await world.get(`/v1/files?workspace=${workspace}&limit=2`)).body
    assert.deepEqual(data[0].attached_to, [{ object: 'task', id: made.id }])
    assert.equal(data[1].attached_to.length, 3)
  })

  it('is replaced by the list that is sent, in one event, and an equal list changes nothing', async () => {
    const [one, two] = [await upload(), await upload()]
    const { id } = await task({ attachments: [one] })
    await world.markWritten()
    const changed = (await world.patch(`/v1/tasks/${id}`, { attachments: [two] })).body
    assert.deepEqual(changed.attachments, [two])
    await world.assertWritten({ events: ['workflow.task.updated'], audit: ['tasks.update'] })
    const [event] = (await world.get('/v1/events?types[]=workflow.task.updated&limit=1')).body.data
    assert.deepEqual(event.data.previous_attributes.attachments, [one])
    assert.deepEqual([await attachedTo(one), await attachedTo(two)], [[], [{ object: 'task', id }]])
    const same = (await world.patch(`/v1/tasks/${id}`, { attachments: [two] })).body
    assert.equal(same.revision, changed.revision)
  })

  it('does not count as an edit of a comment', async () => {
    const file = await upload()
    const { id: on } = await task()
    const comment = await world.make(`/v1/tasks/${on}/comments`, { workspace, body: 'See' })
    const path = `/v1/tasks/${on}/comments/${comment.id}`
    const changed = (await world.patch(path, { body: 'See', attachments: [file] })).body
    assert.deepEqual([changed.attachments, changed.edited_at, changed.revision], [[file], null, 2])
    assert.equal((await world.patch(path, { body: 'See this' })).body.attachments.length, 1)
  })

  it('must be a file of the workspace, each once, and the wrong one is named', async () => {
    const [file, elsewhere, deleted] = [await upload(), await upload(other), await upload()]
    await world.delete(`/v1/files/${deleted}`)
    const { id } = await task()
    const spent = await expense()
    const comments = `/v1/tasks/${id}/comments`
    for (const wrong of [elsewhere, deleted, 'fil_00000000000000000000000000', id]) {
      for (const [path, body, param] of [
        [`/v1/tasks/${id}`, { attachments: [file, wrong] }, 'attachments[1]'],
        [`/v1/expenses/${spent.id}`, { receipts: [wrong] }, 'receipts[0]'],
      ] as const) {
        const { status, body: answer } = await world.patch(path, body)
        assert.deepEqual([status, answer.error.code, answer.error.param], [400, 'invalid_request_body', param])
      }
      const reply = await world.post(comments, { workspace, body: 'x', attachments: [wrong] })
      assert.deepEqual([reply.status, reply.body.error.param], [400, 'attachments[0]'])
      const batch = { workspace, data: [{ title: 'a' }, { title: 'b', attachments: [wrong] }] }
      const refused = await world.post('/v1/tasks/batch', batch)
      assert.deepEqual([refused.status, refused.body.error.param], [400, 'data[1].attachments[0]'])
    }
    assert.equal((await world.patch(`/v1/tasks/${id}`, { attachments: [file, file] })).status, 400)
  })

  it('that is deleted is detached from each object in one event each, also in an archived project', async () => {
    const file = await upload()
    const { id: project } = await world.make('/v1/projects', { workspace, name: 'Archived soon' })
    const made = await task({ attachments: [file], project })
    const comment = await world.make(`/v1/tasks/${made.id}/comments`, { workspace, body: 'See', attachments: [file] })
    const spent = await expense({ receipts: [file] })
    await world.post(`/v1/projects/${project}/archive`, {})
    await world.markWritten()
    assert.equal((await world.delete(`/v1/files/${file}`)).status, 200)
    await world.assertWritten({
      events: ['workflow.comment.updated', 'workflow.expense.updated', 'workflow.task.updated', 'file.file.deleted'],
      audit: ['files.delete'],
    })
    assert.deepEqual((await world.get(`/v1/tasks/${made.id}`)).body.attachments, [])
    assert.deepEqual((await world.get(`/v1/tasks/${made.id}/comments/${comment.id}`)).body.attachments, [])
    assert.deepEqual((await world.get(`/v1/expenses/${spent.id}`)).body.receipts, [])
  })

  it('stays as the receipt of an expense that was submitted', async () => {
    const file = await upload()
    const { id } = await expense({ receipts: [file] })
    await setExpense(world.services, id, 'submitted')
    await world.markWritten()
    const { status, body } = await world.delete(`/v1/files/${file}`)
    assert.deepEqual([status, body.error.code], [409, 'resource_conflict'])
    await world.assertWritten({ events: [], audit: [] })
    assert.deepEqual((await world.get(`/v1/expenses/${id}`)).body.receipts, [file])
  })

  it('outlives its objects, which it then no longer names', async () => {
    const file = await upload()
    const made = await task({ attachments: [file] })
    await world.make(`/v1/tasks/${made.id}/comments`, { workspace, body: 'See', attachments: [file] })
    const spent = await expense({ receipts: [file] })
    await world.delete(`/v1/tasks/${made.id}`)
    await world.delete(`/v1/expenses/${spent.id}`)
    assert.deepEqual(await attachedTo(file), [])
    assert.equal((await world.delete(`/v1/files/${file}`)).status, 200)
  })
})
