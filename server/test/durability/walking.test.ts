/** Paging through a list while others write returns every object that existed throughout exactly once. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { onEveryWorld } from '../world.ts'

const writers_count = 8
const walks = [
  { path: '/v1/projects', query: '' },
  { path: '/v1/tasks', query: '' },
  { path: '/v1/tasks', query: '&sort=title' },
  { path: '/v1/tasks', query: '&sort=-priority,due_at' },
  { path: '/v1/tasks', query: '&sort=-due_at' },
]

onEveryWorld('Paging through a list while eight clients insert, change, move and delete', (world) => {
  let workspace: string
  const standing = new Map<string, string[]>([
    ['/v1/projects', []],
    ['/v1/tasks', []],
  ])
  let projects: string[] = []

  before(async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Walks' })).id
    const make = async (path: string, body: object) =>
      standing.get(path)?.push((await world.make(path, { workspace, ...body })).id)
    await Promise.all(Array.from({ length: 30 }, (_, i) => make('/v1/projects', { name: `Project ${i}` })))
    projects = standing.get('/v1/projects')?.slice(0, 2) ?? []
    await Promise.all(Array.from({ length: 60 }, (_, i) => make('/v1/tasks', taskOf(i))))
  })

  for (const { path, query } of walks) {
    it(`${path} ${query.slice(1)} returns every object that existed throughout exactly once`, async () => {
      let going = true
      const writing = Array.from({ length: writers_count }, async (_, writer) => {
        for (let i = writer; going; i += writers_count) await churn(i)
      })
      const seen: string[] = []
      for (let cursor = ''; ; ) {
        const page = await world.get(`${path}?workspace=${workspace}&limit=4${query}${cursor}`)
        assert.equal(page.status, 200, page.text)
        for (const { id } of page.body.data) seen.push(id)
        if (!page.body.has_more) break
        cursor = `&starting_after=${encodeURIComponent(page.body.next_cursor)}`
      }
      going = false
      await Promise.all(writing)
      const wanted = standing.get(path) as string[]
      assert.deepEqual(seen.filter((id) => wanted.includes(id)).toSorted(), wanted.toSorted())
      assert.equal(new Set(seen).size, seen.length, 'no object that kept its position is returned twice')
    })
  }

  /**
   * The short life of one object: created, changed in its sort values, moved, deleted. Permanent objects are not
   * touched.
   */
  async function churn(i: number): Promise<void> {
    const made = await world.make('/v1/tasks', { workspace, ...taskOf(i), project: projects[0] })
    const project = await world.make('/v1/projects', { workspace, name: `Passing ${i}` })
    const move = await world.post(`/v1/tasks/${made.id}/move`, { workspace, project: projects[1] })
    const others = [
      await world.patch(`/v1/projects/${project.id}`, { name: 'Renamed' }),
      await world.delete(`/v1/projects/${project.id}`),
      await world.delete(`/v1/tasks/${made.id}`),
    ]
    for (const reply of [move, ...others]) assert.equal(reply.status, 200, reply.text)
  }
})

/** Many share their sort values and some have none, as in practice. */
function taskOf(i: number): object {
  const priority = ['none', 'low', 'medium', 'high', 'urgent'][i % 5]
  return { title: `Task ${i % 7}`, priority, ...(i % 3 === 0 ? {} : { due_at: 1_800_000_000 + (i % 11) * 60 }) }
}
