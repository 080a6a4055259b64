/** Wrong requests are refused with the code, parameter and envelope of the contract and change nothing (contract/02). */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import listed from '../../../docs/contract/operations.json' with { type: 'json' }
import type { Operation } from '../../src/api/declare/operation.ts'
import { catalogue } from '../../src/catalogue.ts'
import { onEveryEngine } from '../engines.ts'
import { populate, sendCall, type Things, urlOf, type ValidCall } from '../things.ts'
import { openWorld, type World } from '../world.ts'
import { assertRefused } from './answers.ts'
import { wrongRequests } from './wrong-requests/index.ts'
import { spoilCall, wrongThings } from './wrong-things.ts'

const operations = new Map(catalogue.map((operation) => [operation.id, operation]))
const classes = listed.error_codes as Readonly<Record<string, readonly string[]>>

onEveryEngine('a wrong request', (engine) => {
  let world: World
  let things: Things
  let ids: Readonly<Record<string, string>>

  before(async () => {
    world = await openWorld(engine)
    things = await populate(world)
    ids = await wrongThings(things)
  })
  after(() => world.close())

  const byOperation = Map.groupBy(wrongRequests, (each) => each.operation)

  for (const [id, cases] of byOperation) {
    const operation = operations.get(id)
    assert.ok(operation, `${id} is not in the catalogue`)
    it(`to ${id} is refused with its code and parameter: ${cases.length} cases`, async () => {
      const call = await things.call(operation)
      await world.markWritten()
      for (const each of cases) {
        const reply = await sendCall(things, spoilCall(call, each, things, ids))
        const about = `${id} ${JSON.stringify(each.set).slice(0, 160)}`
        assertRefused(reply, each.code, each.param, about)
        assert.ok(
          classes[operation.errorClass]?.includes(reply.body.error.code),
          `${about}: ${reply.body.error.code} is not in the class ${operation.errorClass} (contract/02#code-classes)`,
        )
      }
      await world.assertWritten({ events: [], audit: [] })
    })
  }

  for (const operation of catalogue) {
    if (operation.lenient) {
      it(`to ${operation.id} does not exist: it ignores the query`, async () => {
        const call = await things.call(operation)
        for (const search of ['limit=0', 'a=b&a=c', '%zz', 'x=%ff', '=', '%00']) {
          assert.equal((await things.send('GET', `${urlOf(call)}?${search}`)).status, 200, search)
        }
      })
      continue
    }
    it(`to ${operation.id} is refused for each declared parameter and field`, async () => {
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
      assert.deepEqual(faults.sort(), [...required].sort(), `${operation.id} must list every fault in error.details`)
    }
  }
})
