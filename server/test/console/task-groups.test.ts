/** The counts of a grouped list of tasks. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { limits } from '../../src/api/limits.ts'
import { onEveryWorld } from '../world.ts'
import { join, ownerOf, refusal, type Visitor } from './visitor.ts'

/** More than one batch of the reading. */
const batches = 12
const day = 86_400
const monday = 1_800_000_000

onEveryWorld('The groups of a list of tasks', (world) => {
  let member: Visitor
  let stranger: Visitor
  let project: string
  const made: Record<string, unknown>[] = []

  before(async () => {
    const owner = await ownerOf(world)
    member = await join(owner, 'bo@acme.example', 'member')
    stranger = await ownerOf(world, world.globex)
    const workspace = (await world.make('/v1/workspaces', { title: 'Kepler' })).id
    project = (await world.make('/v1/projects', { workspace, name: 'Orbit' })).id
    for (let batch = 0; batch < batches; batch++) {
      const data = Array.from({ length: limits.batch_tasks_max }, (_, i) => taskOf(batch * limits.batch_tasks_max + i))
      await world.make('/v1/tasks/batch', { workspace, data })
      made.push(...data)
    }
  })

  const taskOf = (n: number) => ({
    title: `Task ${n}`,
    status: ['todo', 'in_progress', 'done'][n % 3],
    priority: n % 4 === 0 ? 'high' : 'none',
    project: n % 5 === 0 ? project : null,
    labels: [[], ['deck'], ['deck', 'hull']][n % 3],
    due_at: n % 7 === 0 ? null : monday + (n % 7) * day,
    custom_fields: { size: [true, 'big', 3, ['a']][n % 4], ...(n % 2 === 0 ? { ship: 'ada' } : {}) },
  })
  const groups = async (query: string) => {
    const { groups: found, others } = await member.must('GET', `tasks/groups?${query}`)
    return {
      counts: Object.fromEntries(
        found.map((each: { value: unknown; count: number }) => [String(each.value), each.count]),
      ),
      others,
    }
  }
  const counted = (valuesOf: (task: Record<string, unknown>) => readonly unknown[]) => {
    const counts: Record<string, number> = {}
    for (const value of made.flatMap(valuesOf)) counts[String(value)] = (counts[String(value)] ?? 0) + 1
    return counts
  }

  for (const by of ['status', 'priority', 'project'] as const) {
    it(`have the number of tasks of every ${by}`, async () => {
      assert.deepEqual(await groups(`by=${by}`), { counts: counted((task) => [task[by]]), others: 0 })
    })
  }

  it('count a task for each of its labels, and divide due dates at the given moments', async () => {
    const labels = counted((task) => ((task.labels as string[]).length === 0 ? [null] : (task.labels as string[])))
    assert.deepEqual(await groups('by=labels'), { counts: labels, others: 0 })
    const bounds = [monday + 2 * day, monday + 3 * day]
    const due = counted(({ due_at }) => [due_at && bounds.filter((bound) => bound <= (due_at as number)).length])
    assert.deepEqual(await groups(`by=due_at&bounds=${bounds}`), { counts: due, others: 0 })
  })

  it('count custom fields by text and truth, other values together', async () => {
    const third = made.length / 4
    assert.deepEqual(await groups('by=custom_fields.size'), { counts: { true: third, big: third }, others: 2 * third })
    assert.deepEqual((await groups('by=custom_fields.ship')).counts, { ada: 2 * third, null: 2 * third })
  })

  it('are those of the filtered list, the largest first', async () => {
    const filter = encodeURIComponent('priority = high')
    const { groups: found } = await member.must('GET', `tasks/groups?by=project&filter=${filter}`)
    const ofProject = made.filter((task) => task.priority === 'high' && task.project === project).length
    assert.deepEqual(found, [
      { value: null, count: made.length / 4 - ofProject },
      { value: project, count: ofProject },
    ])
  })

  it('are private to their organization, and errors name the wrong parameter', async () => {
    assert.deepEqual(await stranger.must('GET', 'tasks/groups?by=status'), { groups: [], others: 0 })
    const wrong = [
      'by=nothing',
      'filter=status',
      'by=due_at',
      'by=due_at&bounds=5,4',
      'by=status&filter=priority%20%3D',
    ]
    assert.deepEqual(
      await Promise.all(wrong.map(async (query) => refusal(await member.get(`tasks/groups?${query}`)))),
      [
        [400, 'invalid_query_parameter', 'by'],
        [400, 'invalid_query_parameter', 'by'],
        [400, 'invalid_query_parameter', 'bounds'],
        [400, 'invalid_query_parameter', 'bounds'],
        [400, 'invalid_query_parameter', 'filter'],
      ],
    )
  })
})
