/**
 * Conditional requests: entity tags, `If-None-Match`, `If-Match` (contract/05). `atrium conform` tries the rules of each
 * operation (server/test/conform).
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { populate } from '../things.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { assertRefused } from './answers.ts'

onEveryWorld('conditional requests', (world) => {
  const things = openFirst(() => populate(world))

  it('two tags are equal exactly when the bodies are', async () => {
    const tags = new Map<string, string>()
    const recordTag = async (path: string) => {
      const { headers, text } = await world.get(path)
      const etag = String(headers.etag)
      assert.ok(!tags.has(etag) || tags.get(etag) === text, `${path}: one tag for two bodies`)
      for (const [tag, body] of tags) assert.ok(body !== text || tag === etag, `${path}: two tags for one body`)
      tags.set(etag, text)
    }
    const task = await things.fresh('task')
    const paths = [`/v1/tasks/${task}`, '/v1/tasks', '/v1/tasks?limit=1', '/v1/tasks?fields=id', '/v1/workspaces']
    for (let i = 0; i < 3; i++) {
      for (const path of paths) await recordTag(path)
      await world.patch(`/v1/tasks/${task}`, { title: `Again ${i}` })
    }
    await world.patch(`/v1/tasks/${task}`, { title: 'Again 2' })
    for (const path of paths) await recordTag(path)
  })

  it('a tag does not depend on the credential', async () => {
    const other = (await world.key()).secret
    for (const path of [`/v1/tasks/${things.id('task')}`, '/v1/tasks', '/v1/workspaces', '/v1']) {
      const mine = await world.get(path)
      const theirs = await world.get(path, { key: other })
      assert.deepEqual([theirs.headers.etag, theirs.text], [mine.headers.etag, mine.text])
    }
  })

  it('If-None-Match does not change a refusal or a write', async () => {
    const headers = { 'if-none-match': '*' }
    assertRefused(await world.get('/v1/tasks/tsk_never', { headers }), 'resource_not_found')
    assertRefused(await world.get('/v1/tasks?limit=0', { headers }), 'invalid_query_parameter')
    assert.equal((await world.post('/v1/workspaces', { title: 'x' }, { headers })).status, 200)
  })

  it('exactly one of several concurrent writes with the same If-Match succeeds', async () => {
    const task = await things.fresh('task')
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        world.patch(`/v1/tasks/${task}`, { title: `Race ${i}` }, { headers: { 'if-match': '1' } }),
      ),
    )
    const won = replies.filter((reply) => reply.status === 200)
    assert.equal(won.length, 1)
    for (const reply of replies) if (reply.status !== 200) assertRefused(reply, 'resource_conflict', 'If-Match')
    assert.equal((await world.get(`/v1/tasks/${task}`)).text, won[0]?.text)
  })
})
