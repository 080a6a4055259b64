/** Messages quote the value as sent and suggest the one that was probably meant (contract/02#error-envelope). */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { onOneEngine } from '../engines.ts'
import { worldOf } from '../world.ts'

onOneEngine('a message', (engine) => {
  const world = worldOf(engine)
  let workspace: string
  before(async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Messages' })).id
  })

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
    ['/v1/workspaces?limit=many', 'The parameter `limit` cannot be "many". Use an integer from 1 to 100.'],
    ['/v1/workspaces?limti=3', 'This operation has no parameter "limti". Did you mean "limit"?'],
    ['/v1/tasks?fields=titel', 'A task has no field "titel". Did you mean "title"?'],
    ['/v1/expenses?fields=vendors', 'An expense has no field "vendors". Did you mean "vendor"?'],
    [
      '/v1/tasks?expand=asignee',
      'The value "asignee" cannot be expanded. Did you mean "assignee"? Use assignee, project, project.portfolio or column.',
    ],
    ['/v1/request_logs?status_class=6xx', 'The parameter `status_class` cannot be "6xx". Use 2xx, 3xx, 4xx or 5xx.'],
    [
      '/v1/request_logs?operation=task.create',
      'The parameter `operation` cannot be "task.create". Did you mean "tasks.create"? Use the id of an operation, or none.',
    ],
    [
      '/v1/events?object=KEP-999',
      'The parameter `object` cannot be "KEP-999". Use the id of an object, or the key of a task.',
    ],
    ['/v1/tasks?project=prj_none', 'The parameter `project` "prj_none" names no project.'],
    ['/v1/time_entries?task=KEP-999', 'The parameter `task` "KEP-999" names no task.'],
  ]
  for (const [path, message] of inQuery) {
    it(`to GET ${path} is: ${message}`, async () => {
      assert.equal((await world.get(path)).body.error.message, message)
    })
  }

  const inBody: readonly [path: string, body: object, message: string][] = [
    ['/v1/tasks', { title: 'x', status: 'zzz' }, `The field \`status\` cannot be "zzz". ${statuses}`],
    [
      '/v1/tasks',
      { title: 'x', status: 'Done' },
      `The field \`status\` cannot be "Done". Did you mean "done"? ${statuses}`,
    ],
    ['/v1/tasks', { title: 'x', status: 7 }, `The field \`status\` cannot be "7". ${statuses}`],
    [
      '/v1/tasks',
      { title: 'x', status: 'z'.repeat(99) },
      `The field \`status\` cannot be "${'z'.repeat(80)}…". ${statuses}`,
    ],
    ['/v1/tasks', { title: 'x', asignee: null }, 'The field `asignee` is not known here. Did you mean "assignee"?'],
    ['/v1/tasks', { title: 'x', colour_of_it: 1 }, 'The field `colour_of_it` is not known here.'],
    ['/v1/tasks', { title: 5 }, 'The field `title` must be a string, not 5.'],
    ['/v1/tasks', { title: ['x'] }, 'The field `title` must be a string, not an array.'],
    ['/v1/tasks', { title: 'x', due_at: 'soon' }, 'The field `due_at` must be an integer, not "soon".'],
    [
      '/v1/tasks',
      { title: 'x', due_at: 253_402_300_800 },
      'The field `due_at` cannot be "253402300800". Use at most 253402300799.',
    ],
    [
      '/v1/tasks',
      { title: 'x', custom_fields: { 'A b': 1 } },
      'The field `custom_fields.A b` is not a valid key. Use 1 to 40 of the characters a-z, 0-9 and _, the first one a letter.',
    ],
    ['/v1/billing_rates', { currency: 'eur' }, 'The field `currency` cannot be "eur". Did you mean "EUR"?'],
    [
      '/v1/billing_rates',
      { currency: 'euro' },
      'The field `currency` cannot be "euro", which does not have the right form.',
    ],
  ]
  for (const [path, body, message] of inBody) {
    it(`to POST ${path} with ${JSON.stringify(body).slice(0, 60)} is: ${message.slice(0, 80)}`, async () => {
      const { error } = (await world.post(path, { workspace, ...body })).body
      const all = [error, ...(error.details ?? [])].map((fault: { message: string }) => fault.message)
      assert.ok(all.includes(message), all.join(' | '))
    })
  }

  it('names the user id where the id of a member was sent, in a body, a template and a query', async () => {
    const { data } = (await world.get('/v1/members')).body
    const { id, user } = data[0]
    const hint = `This is the id of a member; the user's id is ${user}.`
    const messages = [
      await world.post('/v1/tasks', { workspace, title: 'x', assignee: id }),
      await world.post('/v1/tasks/batch', { workspace, data: [{ title: 'x', assignee: id }] }),
      await world.post('/v1/task_templates', { workspace, name: 'x', defaults: { title: 'x', assignee: id } }),
      await world.get(`/v1/tasks?assignee=${id}`),
    ].map(({ body }) => body.error.message)
    for (const message of messages) assert.ok(message.includes(hint), message)
    const unknown = await world.post('/v1/tasks', { workspace, title: 'x', assignee: `${id}0` })
    assert.equal(unknown.body.error.message, `The field \`assignee\` "${id}0" names no member that can be used here.`)
  })
})
