import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { onEveryWorld, started_at } from '../../../test/world.ts'

onEveryWorld('comments', (world) => {
  let workspace: string
  let task: { id: string; key: string }
  let comments: string
  let serviceUser: string
  before(async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Kubernetes Enhancement Proposals' })).id
    task = await world.make('/v1/tasks', { workspace, title: 'Graduate the feature gate' })
    comments = `/v1/tasks/${task.id}/comments`
    serviceUser = (await world.make(comments, { workspace, body: 'First!' })).author.id
  })

  it('the service user is the author of a comment, which has one event and one audit entry', async () => {
    await world.markWritten()
    const comment = await world.make(comments, { workspace, body: 'Ready for review.' })
    assert.deepEqual(comment, {
      id: comment.id,
      object: 'comment',
      created: started_at / 1000,
      updated: started_at / 1000,
      workspace,
      task: task.id,
      body: 'Ready for review.',
      mentions: [],
      author: { type: 'service_user', id: serviceUser },
      attachments: [],
      edited_at: null,
      revision: 1,
    })
    assert.match(comment.id, /^cmt_/)
    assert.match(serviceUser, /^usr_/)
    assert.notEqual(serviceUser, world.acme.user)
    await world.assertWritten({ events: ['workflow.comment.created'], audit: ['task_comments.create'] })
    assert.deepEqual((await world.get(`${comments}/${comment.id}`)).body, comment)
  })

  it("the service user is the author also with a user's key", async () => {
    const { secret } = await world.key({ owner: { type: 'user', id: world.acme.user } })
    const comment = await world.make(comments, { workspace, body: 'Me again.' }, { key: secret })
    assert.deepEqual(comment.author, { type: 'service_user', id: serviceUser })
  })

  it("every operation accepts the task's key and answers with its id", async () => {
    const byKey = `/v1/tasks/${task.key}/comments`
    const comment = await world.make(byKey, { workspace, body: 'By key.' })
    assert.equal(comment.task, task.id)
    assert.deepEqual((await world.get(`${byKey}/${comment.id}`)).body, comment)
    assert.deepEqual((await world.get(`${byKey}?limit=1`)).body.data, [comment])
    assert.equal((await world.patch(`${byKey}/${comment.id}`, { body: 'Edited.' })).status, 200)
    assert.equal((await world.delete(`${byKey}/${comment.id}`)).status, 200)
  })

  it('an empty text, white space alone and a text over the limit are refused', async () => {
    const { id } = await world.make(comments, { workspace, body: 'Short.' })
    await world.markWritten()
    for (const body of ['', ' \n', 'x'.repeat(65_537), null]) {
      for (const reply of [
        await world.post(comments, { workspace, body }),
        await world.patch(`${comments}/${id}`, { body }),
      ]) {
        assert.equal(reply.status, 400)
        assert.equal(reply.body.error.code, 'invalid_request_body')
        assert.equal(reply.body.error.param, 'body')
      }
    }
    assert.equal((await world.post(comments, { body: 'No workspace' })).body.error.param, 'workspace')
    assert.equal((await world.patch(`${comments}/${id}`, {})).body.error.param, 'body')
    await world.assertWritten({ events: [], audit: [] })
  })

  it('an edit sets edited_at; an equal text changes nothing', async () => {
    const comment = await world.make(comments, { workspace, body: 'Draft.' })
    world.clock.advance(61_000)
    await world.markWritten()
    const same = await world.patch(`${comments}/${comment.id}`, { body: 'Draft.' })
    assert.deepEqual(same.body, comment)
    await world.assertWritten({ events: [], audit: [] })
    const edited = await world.patch(`${comments}/${comment.id}`, { workspace, body: 'Final.' })
    const now = Math.floor(world.clock.now() / 1000)
    assert.deepEqual(edited.body, { ...comment, body: 'Final.', edited_at: now, updated: now, revision: 2 })
    await world.assertWritten({ events: ['workflow.comment.updated'], audit: ['task_comments.update'] })
    const stale = await world.patch(`${comments}/${comment.id}`, { body: 'Late.' }, { headers: { 'if-match': '"1"' } })
    assert.deepEqual([stale.status, stale.body.error.code], [409, 'resource_conflict'])
  })

  it('a deleted comment is not listed and answers 410', async () => {
    const comment = await world.make(comments, { workspace, body: 'Oops.' })
    await world.markWritten()
    const reply = await world.delete(`${comments}/${comment.id}?workspace=${workspace}`)
    assert.deepEqual(reply.body, { id: comment.id, object: 'comment', deleted: true })
    await world.assertWritten({ events: ['workflow.comment.deleted'], audit: ['task_comments.delete'] })
    for (const after of [
      await world.get(`${comments}/${comment.id}`),
      await world.patch(`${comments}/${comment.id}`, { body: 'Back' }),
      await world.delete(`${comments}/${comment.id}`),
    ]) {
      assert.deepEqual([after.status, after.body.error.code], [410, 'resource_deleted'])
    }
    const listed = (await world.get(`${comments}?limit=100`)).body.data
    assert.ok(listed.every((each: { id: string }) => each.id !== comment.id))
  })

  it('the list is paged newest first and refuses a cursor of another task', async () => {
    const other = await world.make('/v1/tasks', { workspace, title: 'Talkative' })
    const path = `/v1/tasks/${other.id}/comments`
    const made = []
    for (const body of ['one', 'two', 'three']) made.unshift(await world.make(path, { workspace, body }))
    const first = (await world.get(`${path}?limit=2`)).body
    assert.deepEqual(first, {
      object: 'list',
      url: path,
      has_more: true,
      next_cursor: made[1].id,
      data: made.slice(0, 2),
    })
    const second = (await world.get(`${path}?limit=2&starting_after=${first.next_cursor}`)).body
    assert.deepEqual([second.data, second.has_more, second.next_cursor], [made.slice(2), false, null])
    const back = (await world.get(`${path}?limit=2&ending_before=${made[2].id}`)).body
    assert.deepEqual(back.data, made.slice(0, 2))
    const elsewhere = await world.get(`${comments}?starting_after=${made[0].id}`)
    assert.equal(elsewhere.body.error.code, 'cursor_filter_mismatch')
    const named = await world.get(`${path}?fields=id,body&limit=1`)
    assert.deepEqual(named.body.data, [{ id: made[0].id, body: 'three' }])
    assert.equal(named.body.fields_selected, true)
  })

  it('a comment answers 404 below another task, in another workspace and for another organization', async () => {
    const comment = await world.make(comments, { workspace, body: 'Here only.' })
    const other = await world.make('/v1/tasks', { workspace, title: 'Elsewhere' })
    const strange = (await world.make('/v1/workspaces', { title: 'Another' })).id
    await world.markWritten()
    const replies = [
      await world.get(`/v1/tasks/${other.id}/comments/${comment.id}`),
      await world.patch(`/v1/tasks/${other.id}/comments/${comment.id}`, { body: 'Mine' }),
      await world.delete(`/v1/tasks/${other.id}/comments/${comment.id}`),
      await world.get(`${comments}/${comment.id}?workspace=${strange}`),
      await world.get(`${comments}?workspace=${strange}`),
      await world.post(comments, { workspace: strange, body: 'Hello' }),
      await world.get(`${comments}/${comment.id}`, { key: world.globex.key }),
      await world.get(comments, { key: world.acme.testKey }),
    ]
    for (const reply of replies) assert.deepEqual([reply.status, reply.body.error.code], [404, 'resource_not_found'])
    await world.assertWritten({ events: [], audit: [] })
  })

  it('comments of an archived project can be read but not written', async () => {
    const project = await world.make('/v1/projects', { workspace, name: 'Done with' })
    const old = await world.make('/v1/tasks', { workspace, project: project.id, title: 'Past' })
    const path = `/v1/tasks/${old.id}/comments`
    const comment = await world.make(path, { workspace, body: 'While it lasted' })
    await world.make(`/v1/projects/${project.id}/archive`, {})
    await world.markWritten()
    for (const reply of [
      await world.post(path, { workspace, body: 'Too late' }),
      await world.patch(`${path}/${comment.id}`, { body: 'Too late' }),
      await world.delete(`${path}/${comment.id}`),
    ]) {
      assert.deepEqual([reply.status, reply.body.error.code], [409, 'resource_conflict'])
    }
    await world.assertWritten({ events: [], audit: [] })
    assert.equal((await world.get(`${path}/${comment.id}`)).status, 200)
  })

  it("a deleted task's comments are deleted with it", async () => {
    const doomed = await world.make('/v1/tasks', { workspace, title: 'Doomed' })
    const comment = await world.make(`/v1/tasks/${doomed.id}/comments`, { workspace, body: 'Bye' })
    await world.delete(`/v1/tasks/${doomed.id}`)
    for (const path of [`/v1/tasks/${doomed.id}/comments`, `/v1/tasks/${doomed.id}/comments/${comment.id}`]) {
      assert.equal((await world.get(path)).status, 410)
    }
    const late = await world.post(`/v1/tasks/${doomed.id}/comments`, { workspace, body: 'Wait' })
    assert.deepEqual([late.status, late.body.error.code], [410, 'resource_deleted'])
  })
})
