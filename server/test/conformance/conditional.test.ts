/** Conditional requests: entity tags, `If-None-Match`, `If-Match` (contract/05). */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { catalogue } from '../../src/catalogue.ts'
import { onEveryEngine } from '../engines.ts'
import { populate, sendCall, type Things, urlOf } from '../things.ts'
import { openWorld, type World } from '../world.ts'
import { assertRefused } from './answers.ts'

/** Reading changes the answer: credits used, last use of the key. */
const self_changing = new Set(['usage.retrieve', 'api_keys.list'])

/** Values of `If-Match` for an object at revision 1: stale, unreadable and matching. */
const stale = ['2', '"2"', '"2-abc"', '"0"', '"7", "8-x"', 'W/"2"', '9007199254740991']
const unreadable = ['abc', '"abc"', '"1', '1"', '-1', '1.0', '01', '"01"', '1e0', '', ',', '"-1"', '1 1', '* ,1', 'W/*']
const matching = ['1', '"1"', '"1-abc"', 'W/"1-abc"', '*', '"5", "1"', ' 1 ']

/** All values for the first operation, two for each other one: they share the rule. */
function sampleOf(all: readonly string[], n: number): string[] {
  return n === 0 ? [...all] : [all[n % all.length] as string, all[(3 * n + 1) % all.length] as string]
}

onEveryEngine('conditional requests', (engine) => {
  let world: World
  let things: Things
  before(async () => {
    world = await openWorld(engine)
    things = await populate(world)
  })
  after(() => world.close())

  for (const operation of catalogue.filter((each) => each.method === 'GET' && !each.streams)) {
    it(`${operation.id} has a strong ETag and answers 304 to it`, async () => {
      const call = await things.call(operation)
      const first = await sendCall(things, call)
      const etag = String(first.headers.etag)
      assert.match(etag, /^"[\x21\x23-\x7e]+"$/)
      const { revision } = first.body
      if (operation.kind === 'read' && revision !== undefined) assert.match(etag, new RegExp(`^"${revision}-`))
      // Without a revision the tag must not be readable as one in `If-Match`.
      else assert.doesNotMatch(etag, /-/)
      const again = await sendCall(things, call)
      assert.equal(again.headers.etag === etag, again.text === first.text)
      if (self_changing.has(operation.id)) return
      assert.equal(again.text, first.text)

      const ask = (tag: string) => sendCall(things, call, { headers: { 'if-none-match': tag } })
      for (const tag of [etag, `W/${etag}`, '*', `"other", ${etag}`, `${etag},"other"`, `"a" , W/"b",W/${etag} `]) {
        const reply = await ask(tag)
        assert.deepEqual([reply.status, reply.text], [304, ''], tag)
        assert.equal(reply.headers.etag, etag)
      }
      for (const tag of ['"other"', `"${etag.slice(1, -2)}"`, 'W/"*"', '""', '', '"*"', '"a", "b"']) {
        const reply = await ask(tag)
        assert.deepEqual([reply.status, reply.text], [200, first.text], tag)
      }
    })
  }

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

  const revisioned = catalogue.filter(
    ({ target, method }) =>
      (method === 'PATCH' || method === 'DELETE') && target?.schema.properties.revision !== undefined,
  )

  for (const [n, operation] of revisioned.entries()) {
    it(`${operation.id} refuses a stale If-Match and names the current revision`, async () => {
      const call = await things.call(operation)
      await world.markWritten()
      for (const tag of sampleOf(stale, n)) {
        const reply = await sendCall(things, call, { headers: { 'if-match': tag } })
        assertRefused(reply, 'resource_conflict', 'If-Match', tag)
        assert.match(reply.body.error.message, /\b1\b/)
      }
      for (const tag of sampleOf(unreadable, n)) {
        const reply = await sendCall(things, call, { headers: { 'if-match': tag } })
        assertRefused(reply, 'invalid_request_body', 'If-Match', tag)
      }
      await world.assertWritten({ events: [], audit: [] })
      assert.equal((await sendCall(things, call, { headers: { 'if-match': '"1"' } })).status, 200)
    })

    it(`${operation.id} accepts a matching If-Match in every form`, async () => {
      for (const tag of [...sampleOf(matching, n), 'etag']) {
        const call = await things.call(operation)
        const path = urlOf(call)
        const reads = catalogue.some((each) => each.method === 'GET' && each.path === operation.path)
        if (tag === 'etag' && !reads) continue
        const value = tag === 'etag' ? String((await things.send('GET', path)).headers.etag) : tag
        const reply = await sendCall(things, call, { headers: { 'if-match': value } })
        assert.equal(reply.status, 200, `${value}: ${reply.text}`)
      }
    })
  }

  it('a revision rises by one per change and not for an unchanged write', async () => {
    for (const operation of revisioned.filter((each) => each.method === 'PATCH')) {
      const call = await things.call(operation)
      const first = await sendCall(things, call)
      assert.equal(first.body.revision, 2, operation.id)
      await world.markWritten()
      const second = await sendCall(things, call)
      assert.equal(second.text, first.text, operation.id)
      const empty = await sendCall(things, { ...call, body: {} })
      if (!operation.bodyOptional) assertRefused(empty, 'invalid_request_body')
      else assert.equal(empty.text, first.text, operation.id)
      await world.assertWritten({ events: [], audit: [] })
    }
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
