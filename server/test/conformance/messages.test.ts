/** Messages quote the value as sent and suggest the one that was probably meant (contract/02#error-envelope). */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { onOneEngine } from '../engines.ts'
import { openWorld, type World } from '../world.ts'

onOneEngine('a message', (engine) => {
  let world: World
  let workspace: string
  before(async () => {
    world = await openWorld(engine)
    workspace = (await world.make('/v1/workspaces', { title: 'Messages' })).id
  })
  after(() => world.close())

  const statuses = 'Use backlog, todo, in_progress, in_review, blocked, done or canceled.'
  const inQuery: readonly [path: string, message: string][] = [
    [
      '/v1/events/stream?types=task.created',
      'There is no event type "task.created". Did you mean "workflow.task.created"?',
    ],
    [
      '/v1/events/stream?types=workflow.tsk.*',
      'There is no event type "workflow.tsk.*". Did you mean "workflow.task.*"?',
    ],
    ['/v1/events/stream?types=zzz', 'There is no event type "zzz".'],
    ['/v1/workspaces?limit=many', 'limit cannot be "many". Use an integer from 1 to 100.'],
    ['/v1/workspaces?limti=3', 'This operation has no parameter "limti". Did you mean "limit"?'],
  ]
  for (const [path, message] of inQuery) {
    it(`to GET ${path} is: ${message}`, async () => {
      assert.equal((await world.get(path)).body.error.message, message)
    })
  }

  const inBody: readonly [path: string, body: object, message: string][] = [
    ['/v1/tasks', { title: 'x', status: 'zzz' }, `status cannot be "zzz". ${statuses}`],
    ['/v1/tasks', { title: 'x', status: 'Done' }, `status cannot be "Done". Did you mean "done"? ${statuses}`],
    ['/v1/tasks', { title: 'x', status: 7 }, `status cannot be "7". ${statuses}`],
    ['/v1/tasks', { title: 'x', status: 'z'.repeat(99) }, `status cannot be "${'z'.repeat(80)}…". ${statuses}`],
    ['/v1/billing_rates', { currency: 'eur' }, 'currency cannot be "eur". Did you mean "EUR"?'],
    ['/v1/billing_rates', { currency: 'euro' }, 'currency cannot be "euro", which does not have the right form.'],
  ]
  for (const [path, body, message] of inBody) {
    it(`to POST ${path} with ${JSON.stringify(body).slice(0, 60)} is: ${message.slice(0, 80)}`, async () => {
      const { error } = (await world.post(path, { workspace, ...body })).body
      const all = [error, ...(error.details ?? [])].map((fault: { message: string }) => fault.message)
      assert.ok(all.includes(message), all.join(' | '))
    })
  }
})
