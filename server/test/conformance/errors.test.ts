/**
 * Wrong requests are refused with the code, parameter and envelope of the contract and change nothing (contract/02).
 * `atrium conform` tries unknown and repeated parameters, missing fields and wrong types of each operation
 * (server/test/conform).
 */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import listed from '../../../docs/contract/operations.json' with { type: 'json' }
import { catalogue } from '../../src/catalogue.ts'
import { populate, sendCall } from '../things.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { assertRefused } from './answers.ts'
import { wrongRequests } from './wrong-requests/index.ts'
import { spoilCall, wrongThings } from './wrong-things.ts'

const operations = new Map(catalogue.map((operation) => [operation.id, operation]))
const classes = listed.error_codes as Readonly<Record<string, readonly string[]>>

onEveryWorld('a wrong request', (world) => {
  const things = openFirst(() => populate(world))
  let ids: Readonly<Record<string, string>>

  before(async () => {
    ids = await wrongThings(things)
  })

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

  it('is answered without half of a character, wherever a value is cut that the answer or the request log repeats', async () => {
    const long = `x${'\u{1f600}'.repeat(300)}`
    const half = /\\u[dD][89a-fA-F]/
    for (const operation of catalogue.filter(({ uploads }) => !uploads)) {
      const { query, body, ...call } = await things.call(operation)
      const fields = Object.keys(operation.body?.properties ?? {})
      const wrong = [
        ...[long, ...Object.keys(operation.query)].map((name) => ({
          ...call,
          body,
          query: { ...query, [name]: long },
        })),
        ...fields.map((name) => ({ ...call, query, body: { ...(body as object), [name]: [{ [long]: long }] } })),
        ...(operation.body === null ? [] : [{ ...call, query, body: { ...(body as object), [long]: long } }]),
      ]
      for (const each of wrong) assert.doesNotMatch((await sendCall(things, each)).text, half, operation.id)
    }
    const { headers } = await world.get(`/v1/workspaces?${encodeURIComponent(long)}=1`)
    const log = await world.get(`/v1/request_logs/${headers['x-request-id']}`)
    assert.equal(log.body.error_code, 'invalid_query_parameter')
    assert.doesNotMatch(log.text, half)
  })
})
