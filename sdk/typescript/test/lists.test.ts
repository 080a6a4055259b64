/** Walking lists with both kinds of cursor, with and without concurrent writes. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { onOneEngine } from '../../../server/test/engines.ts'
import { worldOf } from '../../../server/test/world.ts'
import { Atrium, InvalidRequestError } from '../src/index.ts'

onOneEngine('a list of the SDK', (engine) => {
  const world = worldOf(engine)
  let atrium: Atrium
  let workspace: string
  /** Of 250 tasks, newest first. */
  const ids: string[] = []
  const requests: string[] = []
  before(async () => {
    const counted: typeof fetch = (url, init) => {
      requests.push(String(url))
      return fetch(url, init)
    }
    atrium = new Atrium({ apiKey: world.acme.key, baseUrl: world.server.url, fetch: counted })
    workspace = (await atrium.workspaces.create({ title: 'Lists' })).id
    for (const size of [100, 100, 50]) {
      const data = Array.from({ length: size }, (_, i) => ({ title: `Task ${ids.length + i}` }))
      ids.unshift(...(await atrium.tasks.batch({ workspace, data })).data.map(({ id }) => id).reverse())
    }
  })

  it('walks 250 tasks exactly once each, in pages of maximum length', async () => {
    requests.length = 0
    const walked: string[] = []
    for await (const { id } of atrium.tasks.list({ workspace })) walked.push(id)
    assert.deepEqual(walked, ids)
    assert.equal(requests.length, 3)
  })

  it('walks with limit, fields and sort', async () => {
    const walked: { id: string; title: string }[] = []
    for await (const task of atrium.tasks.list({ workspace, limit: 90, fields: ['id', 'title'], sort: 'title' }))
      walked.push(task)
    const titles = walked.map(({ title }) => title)
    assert.deepEqual(titles, Array.from({ length: 250 }, (_, i) => `Task ${i}`).sort())
    assert.deepEqual(Object.keys(walked[0] as object), ['id', 'title'])
    assert.equal(new Set(walked.map(({ id }) => id)).size, 250)
  })

  it('returns objects that exist throughout exactly once while others write', async () => {
    const walked: string[] = []
    for await (const { id } of atrium.tasks.list({ workspace, limit: 25 })) {
      walked.push(id)
      if (walked.length % 50 !== 0) continue
      const { id: between } = await atrium.tasks.create({ workspace, title: 'Between' })
      await atrium.tasks.delete(between)
    }
    assert.deepEqual(walked, ids)
  })

  it('walks upwards with ending_before, the nearest first', async () => {
    const upwards: string[] = []
    const from = ids.at(-1) as string
    for await (const { id } of atrium.tasks.list({ workspace, ending_before: from, limit: 60 })) upwards.push(id)
    assert.deepEqual(upwards, ids.slice(0, -1).reverse())
  })

  it('walks lists with opaque cursors', async () => {
    const sequences: number[] = []
    for await (const { sequence } of atrium.events.list()) sequences.push(sequence)
    assert.deepEqual(
      sequences,
      Array.from({ length: sequences.length }, (_, i) => sequences.length - i),
    )
    assert.ok(sequences.length > 250)
  })

  it('returns one page with a link to the next when awaited', async () => {
    const page = await atrium.tasks.list({ workspace, limit: 100 })
    assert.deepEqual([page.object, page.url, page.has_more, page.data.length], ['list', '/v1/tasks', true, 100])
    const second = await page.nextPage()
    const third = (await second?.nextPage()) ?? null
    assert.deepEqual(
      [...page.data, ...(second?.data ?? []), ...(third?.data ?? [])].map(({ id }) => id),
      ids,
    )
    assert.deepEqual([third?.has_more, await third?.nextPage()], [false, null])
    const lengths: number[] = []
    for await (const { data } of atrium.tasks.list({ workspace, limit: 100 }).pages()) lengths.push(data.length)
    assert.deepEqual(lengths, [100, 100, 50])
  })

  it('reads no more than needed', async () => {
    requests.length = 0
    const list = atrium.tasks.list({ workspace })
    assert.equal(requests.length, 0)
    assert.deepEqual(
      (await list.toArray({ max: 120 })).map(({ id }) => id),
      ids.slice(0, 120),
    )
    assert.equal(requests.length, 2)
    for await (const _task of list) break
    assert.equal(requests.length, 3)
    assert.deepEqual(await list.toArray({ max: 0 }), [])
    assert.equal(requests.length, 3)
  })

  it('reads the whole list into an array if no max is given', async () => {
    assert.deepEqual(
      (await atrium.tasks.list({ workspace }).toArray()).map(({ id }) => id),
      ids,
    )
  })

  it('ends the walk with the error of a refused page', async () => {
    await assert.rejects(atrium.tasks.list({ workspace, starting_after: 'nothing' }).toArray({ max: 1 }), (error) => {
      assert.ok(error instanceof InvalidRequestError)
      assert.deepEqual([error.code, error.param], ['cursor_invalid', 'starting_after'])
      return true
    })
  })
})
