/** Random access to a list of tasks: its length and the cursors of its pages. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { limits } from '../../src/api/limits.ts'
import { onEveryWorld } from '../world.ts'
import { join, ownerOf, refusal, type Visitor } from './visitor.ts'

const tasks_made = 700

onEveryWorld('A list of tasks', (world) => {
  let member: Visitor
  let stranger: Visitor

  before(async () => {
    const owner = await ownerOf(world)
    member = await join(owner, 'bo@acme.example', 'member')
    stranger = await ownerOf(world, world.globex)
    const workspace = (await world.make('/v1/workspaces', { title: 'Kepler' })).id
    for (let made = 0; made < tasks_made; made += limits.batch_tasks_max) {
      const data = Array.from({ length: limits.batch_tasks_max }, (_, at) => ({
        title: `Task ${(made + at) * 7919}`,
        ...{ priority: at % 2 === 0 ? 'high' : 'low', ...(at % 3 === 0 ? {} : { due_at: 1_800_000_000 + at }) },
      }))
      await world.make('/v1/tasks/batch', { workspace, data })
    }
  })

  const pageAfter = async (query: string, cursor: string | undefined) => {
    const behind = cursor === undefined ? '' : `&starting_after=${cursor}`
    const { status, body } = await world.get(`/v1/tasks?limit=100${query}${behind}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body as { data: { id: string }[]; next_cursor: string | null }
  }
  const walk = async (query: string) => {
    const cursors: string[] = []
    for (let cursor: string | undefined; ; ) {
      const { next_cursor } = await pageAfter(query, cursor)
      if (next_cursor === null) return cursors
      cursor = next_cursor
      cursors.push(cursor)
    }
  }

  for (const query of ['', '&sort=title', '&sort=-priority,due_at', '&sort=due_at', '&filter=priority%20%3D%20high']) {
    it(`has the cursors of its pages with '${query}'`, async () => {
      const { page, places } = await member.must('GET', `tasks/places?mode=live${query}`)
      assert.equal(page, limits.page_limit_max)
      const walked = await walk(query)
      // A full last page yields one more cursor, after which nothing follows.
      assert.deepEqual(places.slice(0, walked.length), walked)
      assert.ok(places.length - walked.length <= 1)
    })
  }

  it('has a length, also with a filter', async () => {
    assert.deepEqual(await member.must('GET', 'tasks/count'), { count: tasks_made })
    const filter = encodeURIComponent('priority = high')
    assert.deepEqual(await member.must('GET', `tasks/count?filter=${filter}`), { count: tasks_made / 2 })
    assert.deepEqual(await member.must('GET', 'tasks/count?mode=test'), { count: 0 })
  })

  it('is private to its organization, and errors name the wrong parameter', async () => {
    assert.deepEqual(await stranger.must('GET', 'tasks/count'), { count: 0 })
    assert.deepEqual((await stranger.must('GET', 'tasks/places')).places, [])
    const wrong = [
      await member.get('tasks/count?filter=priority%20%3D%20%3D'),
      await member.get('tasks/places?filter=priority%20%3D%20%3D'),
      await member.get('tasks/places?sort=nothing'),
    ]
    assert.deepEqual(wrong.map(refusal), [
      [400, 'invalid_query_parameter', 'filter'],
      [400, 'invalid_query_parameter', 'filter'],
      [400, 'invalid_query_parameter', 'sort'],
    ])
  })
})
