/** Refusals: what is wrong is answered with the code, the parameter and the envelope of the contract, and does nothing. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Operation } from '../../src/api/operation.ts'
import { catalogue } from '../../src/catalogue.ts'
import { newId } from '../../src/lib/ids.ts'
import { addMember } from '../../src/resources/members/write.ts'
import { onEveryEngine } from '../engines.ts'
import { populate, sendCall, type Things, urlOf, type ValidCall } from '../things.ts'
import { openWorld, type World } from '../world.ts'
import { assertRefused, codes } from './answers.ts'
import listed from './operations.json' with { type: 'json' }
import { type Wrong, wrongRequests } from './wrong-requests.ts'

const operations = new Map(catalogue.map((operation) => [operation.id, operation]))
const classes = listed.error_codes as Readonly<Record<string, readonly string[]>>

onEveryEngine('a wrong request', (engine) => {
  let world: World
  let things: Things
  /** Names that the cases use beside those of the world's things. */
  const ids: Record<string, string> = {}

  before(async () => {
    world = await openWorld(engine)
    things = await populate(world)
    const now = world.clock.now()
    const workspace = things.id('workspace')
    ids.never_organization = newId('org', now)
    ids.never_key = newId('key', now)
    ids.other_workspace = await things.fresh('workspace')
    const elsewhere = { workspace: ids.other_workspace, name: 'Elsewhere' }
    ids.other_portfolio = (await things.make('/v1/portfolios', elsewhere)).id
    ids.foreign_workspace_project = (await things.make('/v1/projects', elsewhere)).id
    ids.archived_project = await things.fresh('other_project')
    const inArchive = { workspace, title: 'Filed', project: ids.archived_project }
    ids.archived_task = (await things.make('/v1/tasks', inArchive)).id
    await things.make(`/v1/projects/${ids.archived_project}/archive`, {})
    ids.rated_project = await things.fresh('other_project')
    const place = { workspace, project: ids.rated_project }
    ids.other_column = (await things.make('/v1/columns', { ...place, name: 'Elsewhere' })).id
    ids.elsewhere_task = (await things.make('/v1/tasks', { ...place, title: 'Elsewhere' })).id
    const rate = { workspace, scope: 'project', target: ids.rated_project, currency: 'EUR', amount_minor: 1 }
    await things.make('/v1/billing_rates', rate)
    ids.dependent_task = await things.fresh('task')
    ids.blocking_task = await things.fresh('task')
    const task = things.id('task')
    await things.make(`/v1/tasks/${task}/dependencies`, { workspace, to: ids.dependent_task, kind: 'blocks' })
    await things.make(`/v1/tasks/${ids.blocking_task}/dependencies`, { workspace, to: task, kind: 'blocks' })
    const member = { email: 'gone@example.com', status: 'inactive' } as const
    ids.inactive_user = (await addMember(world.services, world.acme.id, member)).user
    const gone = {
      key: '/v1/api_keys/',
      project: '/v1/projects/',
      portfolio: '/v1/portfolios/',
      column: '/v1/columns/',
      task: '/v1/tasks/',
      comment: `/v1/tasks/${task}/comments/`,
      time_entry: '/v1/time_entries/',
    }
    for (const [name, path] of Object.entries(gone)) {
      const id = await things.fresh(name === 'key' ? 'api_key' : name)
      if (name === 'task') ids.deleted_task_key = (await things.send('GET', path + id)).body.key
      assert.equal((await things.send('DELETE', path + id)).status, 200, name)
      ids[`deleted_${name}`] = id
    }
    ids.archived_board = await things.fresh('board')
    await things.send('DELETE', `/v1/boards/${ids.archived_board}`)
  })
  after(() => world.close())

  function fill<T>(value: T): T {
    const text = JSON.stringify(value)
    const id = (name: string) => ids[name] ?? things.id(name)
    return JSON.parse(text.replaceAll(/\{([a-z][a-z_]*)\}/g, (_all, name) => id(name)))
  }

  function spoil(call: ValidCall, { place, set }: Wrong): ValidCall {
    const now = { ...(call[place] as object), ...set }
    return { ...call, [place]: fill(now) }
  }

  const byOperation = Map.groupBy(wrongRequests, (each) => each.operation)

  for (const [id, cases] of byOperation) {
    const operation = operations.get(id)
    if (operation === undefined) continue
    it(`to ${id} is refused by code and parameter: ${cases.length} of them`, async () => {
      const call = await things.call(operation)
      await world.markWritten()
      for (const each of cases) {
        const reply = await sendCall(things, spoil(call, each))
        const about = `${id} ${JSON.stringify(each.set).slice(0, 160)}`
        assertRefused(reply, each.code, each.param, about)
        assert.ok(classes[operation.errorClass]?.includes(reply.body.error.code), `${about}: not in the class`)
      }
      await world.assertWritten({ events: [], audit: [] })
    })
  }

  for (const operation of catalogue) {
    if (operation.lenient) {
      it(`to ${operation.id} is hard to make: whatever the query says, it answers`, async () => {
        const call = await things.call(operation)
        for (const search of ['limit=0', 'a=b&a=c', '%zz', 'x=%ff', '=', '%00']) {
          assert.equal((await things.send('GET', `${urlOf(call)}?${search}`)).status, 200, search)
        }
      })
      continue
    }
    it(`to ${operation.id} in what it declares is refused, field by field`, async () => {
      const call = await things.call(operation)
      await world.markWritten()
      await refuseQuery(operation, call)
      if (operation.body !== null) await refuseFields(operation, call)
      await world.assertWritten({ events: [], audit: [] })
    })
  }

  async function refuseQuery(operation: Operation, call: ValidCall): Promise<void> {
    const path = urlOf({ ...call, query: {} })
    const required = new URLSearchParams(call.query as Record<string, string>).toString()
    const options = call.body === undefined ? {} : { body: call.body }
    for (const [search, param] of [
      ['no_such=1', 'no_such'],
      ['%zz=1', '%zz'],
      ['a%ff=1', 'a%ff'],
      ['no%00such=1', 'nosuch'],
    ]) {
      const reply = await things.send(operation.method, `${path}?${required}&${search}`, options)
      assertRefused(reply, 'invalid_query_parameter', param, `${operation.id} ${search}`)
    }
    for (const [name, parameter] of Object.entries(operation.query)) {
      if (parameter.many) continue
      const twice = `${path}?${name}=1&${name}=2`
      const reply = await things.send(operation.method, twice, options)
      assert.equal(reply.status, 400, `${operation.id} ${name} twice`)
      assert.equal(reply.body.error.code, 'invalid_query_parameter', reply.text)
    }
  }

  async function refuseFields(operation: Operation, call: ValidCall): Promise<void> {
    const valid = (call.body ?? {}) as Record<string, unknown>
    const { properties, required = [] } = operation.body as unknown as {
      properties: Record<string, object>
      required?: string[]
    }
    for (const name of required) {
      const { [name]: _left, ...rest } = valid
      assertRefused(await sendCall(things, { ...call, body: rest }), 'invalid_request_body', name, operation.id)
    }
    for (const [name, schema] of Object.entries(properties)) {
      const takes = JSON.stringify(schema)
      const misfits: [string, unknown][] = [
        ['"boolean"', false],
        ['"object"', {}],
        ['"array"', []],
        ['"null"', null],
      ]
      for (const [type, misfit] of misfits) {
        if (takes.includes(type) || takes.includes(`"const":${JSON.stringify(misfit)}`)) continue
        const reply = await sendCall(things, { ...call, body: { ...valid, [name]: misfit } })
        assertRefused(reply, 'invalid_request_body', name, `${operation.id} ${name}: ${JSON.stringify(misfit)}`)
      }
    }
    if (Object.keys(properties).length > 1 && required.length > 1) {
      const reply = await sendCall(things, { ...call, body: {} })
      const faults = reply.body.error.details.map((detail: { param: string }) => detail.param)
      assert.deepEqual(faults.sort(), [...required].sort(), `${operation.id} names every fault`)
    }
  }

  it('is one of a great many', (t) => {
    const tried = wrongRequests.filter((each) => operations.has(each.operation))
    t.diagnostic(`${tried.length} of ${wrongRequests.length} wrong requests are tried`)
    assert.ok(tried.length >= 150)
    for (const { code } of wrongRequests) assert.ok(codes[code] !== undefined, code)
  })
})
