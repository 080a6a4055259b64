/** The parents and dependencies that rows and cards of tasks show. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { onEveryWorld } from '../world.ts'
import { join, ownerOf, refusal, type Visitor } from './visitor.ts'

onEveryWorld('The relations of tasks', (world) => {
  let member: Visitor
  let stranger: Visitor
  let workspace: string
  let project: string

  before(async () => {
    member = await join(await ownerOf(world), 'bo@acme.example', 'member')
    stranger = await ownerOf(world, world.globex)
    workspace = (await world.make('/v1/workspaces', { title: 'Kepler' })).id
    project = (await world.make('/v1/projects', { workspace, name: 'Orbit' })).id
  })

  const createTask = async (title: string, fields: object = {}) => {
    const made = await world.make('/v1/tasks', { workspace, project, title, ...fields })
    return made as unknown as { readonly id: string; readonly key: string; readonly status: string }
  }
  const link = async (from: string, to: string, kind: string) =>
    (await world.make(`/v1/tasks/${from}/dependencies`, { workspace, to, kind })).id

  it('are read in both directions, with the names of the other tasks and of parents', async () => {
    const parent = await createTask('Parent')
    const [a, b, c] = [
      await createTask('A', { parent: parent.id }),
      await createTask('B', { status: 'blocked' }),
      await createTask('C'),
    ]
    const first = { id: await link(a.id, b.id, 'blocks'), kind: 'blocks', from: a.id, to: b.id }
    const second = { id: await link(c.id, a.id, 'relates_to'), kind: 'relates_to', from: c.id, to: a.id }
    await link(c.id, b.id, 'precedes')
    const named = ({ id, key, status }: typeof a, title: string) => ({ id, key, title, status })
    const { dependencies, tasks } = await member.must('GET', `tasks/relations?tasks=${a.id}`)
    assert.deepEqual(dependencies, [first, second])
    assert.deepEqual(
      (tasks as { title: string }[]).toSorted((x, y) => (x.title < y.title ? -1 : 1)),
      [named(a, 'A'), named(b, 'B'), named(c, 'C'), named(parent, 'Parent')],
    )
    const both = await member.must('GET', `tasks/relations?tasks=${a.id},${b.id}`)
    assert.equal((both.dependencies as unknown[]).length, 3)
    await world.call('DELETE', `/v1/tasks/${a.id}/dependencies/${first.id}`)
    assert.deepEqual((await member.must('GET', `tasks/relations?tasks=${a.id}`)).dependencies, [second])
  })

  it('are those of the session: foreign and unknown tasks have no relations', async () => {
    const [a, b] = [await createTask('D'), await createTask('E')]
    await link(a.id, b.id, 'blocks')
    const nothing = { dependencies: [], tasks: [] }
    assert.deepEqual(await stranger.must('GET', `tasks/relations?tasks=${a.id}`), nothing)
    assert.deepEqual(await member.must('GET', `tasks/relations?mode=test&tasks=${a.id}`), nothing)
    assert.deepEqual(await member.must('GET', 'tasks/relations?tasks=tsk_unknown'), nothing)
  })

  it('are read for 1 to 100 different tasks', async () => {
    const many = Array.from({ length: 101 }, (_, i) => `tsk_${i}`).join(',')
    for (const wrong of ['', '?tasks=', '?tasks=a,a', `?tasks=${many}`]) {
      assert.deepEqual(refusal(await member.get(`tasks/relations${wrong}`)), [400, 'invalid_query_parameter', 'tasks'])
    }
  })
})
