import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { addTaskTemplate } from '../../src/resources/task_templates/write.ts'
import { onEveryEngine } from '../engines.ts'
import { openReceiver } from '../receiver.ts'
import { openWorld, type World } from '../world.ts'
import { type Numbers, operation_count, Pool, step } from './random-writes.ts'

interface Event {
  readonly type: string
  readonly sequence: number
  readonly data: { readonly object: Shown; readonly previous_attributes: object | null }
}

interface Shown {
  readonly id: string
  readonly object: string
  readonly task?: string
  readonly from?: string
  readonly board?: string
  readonly user?: string
}

/** Reads the whole log through `GET /v1/events`. */
async function readLog(world: World): Promise<Event[]> {
  const events: Event[] = []
  let cursor = ''
  for (;;) {
    const { body } = await world.get(`/v1/events?limit=100${cursor}`)
    events.push(...body.data)
    if (!body.has_more) return events.reverse()
    cursor = `&cursor=${body.next_cursor}`
  }
}

/** The path of an object, or null if it has no GET of its own. */
function pathOf(object: Shown): string | null {
  if (object.object === 'comment') return `/v1/tasks/${object.task}/comments/${object.id}`
  if (object.object === 'dependency' || object.object === 'board_member' || object.object === 'api_key') return null
  if (object.object === 'export_job') return `/v1/jobs/${object.id}`
  const plural = object.object.endsWith('y') ? `${object.object.slice(0, -1)}ies` : `${object.object}s`
  return `/v1/${plural}/${object.id}`
}

/** An object without a GET of its own, from its list. */
async function listed(world: World, object: Shown): Promise<object | undefined> {
  const lists: Readonly<Record<string, string>> = {
    api_key: '/v1/api_keys',
    dependency: `/v1/tasks/${object.from}/dependencies`,
    board_member: `/v1/boards/${object.board}/members`,
  }
  const list = lists[object.object] as string
  const { body } = await world.get(`${list}?limit=100`)
  return body.data?.find((each: Shown) => each.id === object.id)
}

/** Adds a template, which only the operator can; steps create tasks from it. */
async function addTemplate(world: World, pool: Pool): Promise<void> {
  const made = await addTaskTemplate(world.services, {
    organization: world.acme.id,
    realm: world.acme.realms.live,
    mode: 'live',
    workspace: pool.pick('workspace', 0),
    name: 'Release',
    defaults: { title: 'Cut it', labels: ['release'] },
  })
  pool.add('task_template', made.id)
}

async function checkFold(world: World): Promise<void> {
  const events = await readLog(world)
  assert.deepEqual(
    events.map((event) => event.sequence),
    events.map((_, i) => i + 1),
  )
  const state = new Map<string, { object: Shown; deleted: boolean }>()
  for (const { type, data } of events) {
    const before = state.get(data.object.id)
    if (before !== undefined) {
      assert.deepEqual(
        { ...data.object, ...data.previous_attributes },
        before.object,
        `${type} does not continue from the event before`,
      )
    }
    state.set(data.object.id, { object: data.object, deleted: type.endsWith('.deleted') })
  }
  for (const { object, deleted } of state.values()) {
    const path = pathOf(object)
    if (path === null) {
      assert.deepEqual(await listed(world, object), deleted ? undefined : object, object.id)
      continue
    }
    const reply = await world.get(path)
    if (!deleted) assert.equal(reply.text, JSON.stringify(object))
    else if (object.object === 'board') assert.equal(reply.body.status, 'archived')
    else assert.equal(reply.status, object.object === 'webhook_endpoint' ? 404 : 410, path)
  }
}

onEveryEngine('the event log', (engine) => {
  it('folded from the start is what GET returns, byte for byte, after 2,000 random writes', async () => {
    const numbers = fc.nat({ max: 1_000_000 })
    const steps = fc.array(fc.tuple(fc.nat({ max: operation_count - 1 }), numbers, numbers, numbers), {
      minLength: 500,
      maxLength: 500,
    })
    let changes = 0
    const property = fc.asyncProperty(steps, async (run) => {
      const world = await openWorld(engine)
      const receiver = await openReceiver()
      try {
        const pool = new Pool()
        pool.add('user', world.acme.user)
        pool.receiver = receiver.url
        for (let i = 0; i < 3; i++) await step(world, pool, [0, i, 0, 0])
        await addTemplate(world, pool)
        for (let i = 0; i < run.length; i += 4) {
          const replies = await Promise.all(run.slice(i, i + 4).map((each) => step(world, pool, each as Numbers)))
          for (const reply of replies) {
            assert.ok(reply.status < 500, reply.text)
            if (reply.status === 200) changes++
          }
        }
        await checkFold(world)
      } finally {
        await world.close()
        await receiver.close()
      }
    })
    await fc.assert(property, { numRuns: 4, endOnFailure: true })
    assert.ok(changes > 600, `only ${changes} of 2,000 writes were accepted`)
  })
})
