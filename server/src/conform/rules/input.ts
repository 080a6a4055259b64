/** Wrong input is refused with the parameter at fault, and never with a 500 (contract §7, decisions §2). */
import type { TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { changed } from '../calls.ts'
import { at, codeOf } from '../client.ts'
import { always, isWrite, type Rule } from '../rule.ts'
import { skip } from '../trial.ts'

const hasBody = (operation: { method: string; body: { properties: object } | null }): boolean =>
  operation.method !== 'DELETE' && operation.body !== null && Object.keys(operation.body.properties).length > 0

export const unknownParameter: Rule = {
  name: 'unknown-parameter',
  promise:
    'A query parameter that there is not is refused by its name; GET /v1, /v1/me and /v1/usage ignore it (decisions §2).',
  applies: always,
  async check(trial) {
    const call = changed(await trial.call(), 'query', 'no_such_parameter', '1')
    const reply = await trial.send(call)
    if (trial.operation.lenient) trial.expectEqual(reply.status, 200, 'the status', reply)
    else trial.expectRefused(reply, 'invalid_query_parameter', 'no_such_parameter')
  },
}

export const unknownField: Rule = {
  name: 'unknown-field',
  promise: 'A field that the body does not have is refused by its name (decisions §2).',
  applies: (operation) => isWrite(operation) && operation.method !== 'DELETE',
  async check(trial) {
    const reply = await trial.send(changed(await trial.call(), 'body', 'no_such_field', 1))
    trial.expectRefused(reply, 'invalid_request_body', 'no_such_field')
  },
}

/** Of these one is wrong for any field that has a type. */
const candidates: readonly unknown[] = [{ no: [{ such: 1 }] }, [[[]]], true, 0.5, 'x'.repeat(70_000)]

export const wrongType: Rule = {
  name: 'wrong-type',
  promise: 'A field of the wrong type is refused by its name, never with a 500 (decisions §2).',
  applies: (operation) => isWrite(operation) && hasBody(operation),
  async check(trial) {
    const call = await trial.call()
    for (const [name, schema] of Object.entries(trial.operation.body?.properties ?? {})) {
      const wrong = candidates.find((value) => !Check(schema as TSchema, value))
      if (wrong === undefined) continue
      const reply = await trial.send(changed(call, 'body', name, wrong))
      trial.expectRefused(reply, 'invalid_request_body')
      const param = String(at(reply.body, 'error', 'param'))
      trial.expect(
        reply.status !== 400 || new RegExp(`^${name}($|[.[])`).test(param),
        `error.param is ${param}, not ${name}`,
        reply,
      )
    }
  },
}

export const malformed: Rule = {
  name: 'malformed',
  promise: 'What is not JSON, holds a key twice, or comes without its Content-Type is refused (decisions §2).',
  applies: (operation) => isWrite(operation) && hasBody(operation),
  async check(trial) {
    const call = await trial.call()
    for (const raw of ['{', '[1]', '{"a":1,"a":2}', '"text"', '\u0000']) {
      trial.expectRefused(await trial.send(call, { raw }), 'invalid_request_body')
    }
    const headers = { 'Content-Type': 'text/plain' }
    trial.expectRefused(await trial.send(call, { raw: '{}', headers }), 'invalid_request_body')
  },
}

export const wrongPath: Rule = {
  name: 'wrong-path',
  promise: 'An id that never existed, or is none, answers 404 (decisions §2).',
  applies: ({ path }) => path.includes('{'),
  async check(trial) {
    const call = await trial.call()
    for (const name of Object.keys(call.params)) {
      for (const id of ['none_at_all', 'a b', "'; --", '💥']) {
        const reply = await trial.send(changed(call, 'params', name, id))
        trial.expectRefused(reply, 'resource_not_found')
      }
    }
  },
}

export const method: Rule = {
  name: 'method',
  promise: 'A wrong method answers 404 and names in Allow those that there are (decisions §2).',
  applies: always,
  async check(trial) {
    const { operation, kit } = trial
    const own = kit.catalogue.filter((each) => each.path === operation.path).map((each) => each.method)
    const reply = await trial.sendTo('PUT', operation.path.replaceAll(/\{\w+\}/g, 'x'), { body: {} })
    trial.expectEqual(codeOf(reply), 'resource_not_found', 'error.code', reply)
    const allowed = (reply.headers.allow ?? '').split(/,\s*/)
    for (const each of own) trial.expect(allowed.includes(each), `Allow does not name ${each}`, reply)
  },
}

export const version: Rule = {
  name: 'version',
  promise:
    'An unsupported Service-Version is refused; GET /v1, /v1/me and /v1/usage ignore it (contract §9, decisions §2).',
  applies: always,
  async check(trial) {
    const call = await trial.call()
    const reply = await trial.send(call, { headers: { 'Service-Version': '1999-12-31' } })
    if (trial.operation.lenient) trial.expectEqual(reply.status, 200, 'the status', reply)
    else trial.expectRefused(reply, 'invalid_query_parameter', 'Service-Version')
  },
}

export const emptyPatch: Rule = {
  name: 'no-change',
  promise: 'A PATCH that changes nothing changes no revision and emits nothing (decisions §5).',
  applies: ({ method: verb, bodyOptional, target }) => verb === 'PATCH' && bodyOptional && target !== null,
  async check(trial) {
    const call = await trial.call()
    const before = await trial.readTarget(call)
    if (before === null || at(before.body, 'revision') === undefined) skip('its target shows no revision')
    const reply = await trial.send({ ...call, body: {} })
    if (reply.status === 409) skip(`its target is in a state that refuses it: ${codeOf(reply)}`)
    trial.expectEqual(reply.status, 200, 'the status', reply)
    trial.expectEqual(at(reply.body, 'revision'), at(before?.body, 'revision'), 'revision', reply)
  },
}
