/** Wrong input is refused with the parameter at fault, and never with a 500. */
import type { TSchema } from 'typebox'
import { Check } from 'typebox/value'
import type { Operation } from '../../api/declare/operation.ts'
import { changed } from '../calls.ts'
import { at, codeOf, type Reply } from '../client.ts'
import { always, isWrite, type Rule } from '../rule.ts'
import type { Trial } from '../trial.ts'

/** Query strings with a parameter that no operation has, and the `param` that names it. */
const unknown_parameters = [
  ['no_such=1', 'no_such'],
  ['%zz=1', '%zz'],
  ['a%ff=1', 'a%ff'],
  ['no%00such=1', 'nosuch'],
] as const
/** Names that lists elsewhere take, and near misses of their own. */
const unknown_of_lists = [
  ...['offset', 'page', 'total', 'Limit', 'limit[]', 'starting_after[]', 'constructor', '__proto__', 'limit%00'],
  ...['ending_before', 'fields'],
]
const ignored_by_lenient = ['limit=0', 'a=b&a=c', '%zz', 'x=%ff', '=', '%00']

export const unknownParameter: Rule = {
  name: 'unknown-parameter',
  promise:
    'An unknown query parameter is refused by its name; GET /v1, /v1/me and /v1/usage ignore it (contract/02#query-parameters, contract/02#operations-without-a-400).',
  applies: always,
  async check(trial) {
    const { operation } = trial
    const call = await trial.call()
    if (operation.lenient) {
      for (const search of ignored_by_lenient) {
        trial.expectEqual((await trial.send(call, { search })).status, 200, `the status with ?${search}`)
      }
      return
    }
    const valid = new URLSearchParams(call.query).toString()
    const send = (search: string) => trial.send(call, { search: `${valid}&${search}` })
    for (const [search, param] of unknown_parameters) {
      trial.expectRefused(await send(search), 'invalid_query_parameter', param)
    }
    if (operation.kind !== 'list') return
    for (const name of unknown_of_lists.filter((each) => operation.query[each] === undefined)) {
      trial.expectRefused(await send(`${name}=1`), 'invalid_query_parameter')
    }
  },
}

export const repeatedParameter: Rule = {
  name: 'repeated-parameter',
  promise: 'A query parameter that takes one value is refused when it is repeated (contract/02#query-parameters).',
  applies: ({ query, lenient }) => !lenient && Object.values(query).some(({ many }) => !many),
  async check(trial) {
    const call = await trial.call()
    for (const [name, { many }] of Object.entries(trial.operation.query)) {
      if (many) continue
      const reply = await trial.send(call, { search: `${name}=1&${name}=2` })
      trial.expectRefused(reply, 'invalid_query_parameter')
      trial.expectEqual(reply.status, 400, 'the status', reply)
    }
  },
}

/** The body of an upload is any content. */
const takesJson = (operation: Operation): boolean => isWrite(operation) && !operation.uploads

const odd_names = ['constructor', 'toString', 'hasOwnProperty', 'prototype', '', ' ', '0', 'a.b', 'é']

export const unknownField: Rule = {
  name: 'unknown-field',
  promise: 'An unknown field of the body is refused by its name (contract/02#request-bodies).',
  applies: takesJson,
  async check(trial) {
    const call = await trial.call()
    const reply = await trial.send(changed(call, 'body', 'no_such_field', 1))
    trial.expectRefused(reply, 'invalid_request_body', 'no_such_field')
    for (const name of trial.sample('field names', odd_names)) {
      trial.expectRefused(await trial.send(call, { raw: JSON.stringify({ [name]: 1 }) }), 'invalid_request_body')
    }
    const prototype = await trial.send(call, { raw: '{"__proto__":{}}' })
    trial.expectRefused(prototype, 'invalid_request_body', '__proto__')
  },
}

function requiredOf({ body }: Operation): readonly string[] {
  return (body?.required ?? []) as readonly string[]
}

export const missingField: Rule = {
  name: 'missing-field',
  promise:
    'A missing required field is refused by its name, several are all named (contract/02#request-bodies, contract/02#several-faults).',
  applies: (operation) => isWrite(operation) && requiredOf(operation).length > 0,
  async check(trial) {
    const call = await trial.call()
    const required = requiredOf(trial.operation)
    for (const name of required) {
      const { [name]: _missing, ...body } = call.body as Record<string, unknown>
      trial.expectRefused(await trial.send({ ...call, body }), 'invalid_request_body', name)
    }
    if (required.length < 2) return
    const reply = await trial.send({ ...call, body: {} })
    const details = at(reply.body, 'error', 'details')
    const named = Array.isArray(details) ? details.map(({ param }) => String(param)).sort() : []
    trial.expectEqual(named.join(), [...required].sort().join(), 'the list of missing fields', reply)
  },
}

/** Values of each type, and then some for fields that take these: those that do not fit a field's schema are wrong. */
const values: readonly unknown[] = [{}, [], false, null]
const odd_values: readonly unknown[] = [0.5, { no: [{ such: 1 }] }, [[[]]], true, 'x'.repeat(70_000)]

function misfits(schema: TSchema): unknown[] {
  const odd = odd_values.filter((value) => !Check(schema, value))
  return [...values.filter((value) => !Check(schema, value)), ...odd.slice(0, 1)]
}

export const wrongType: Rule = {
  name: 'wrong-type',
  promise: 'A field of the wrong type is refused by its name, never with a 500 (contract/02#request-bodies).',
  applies: (operation) => isWrite(operation) && operation.method !== 'DELETE' && operation.body !== null,
  async check(trial) {
    const call = await trial.call()
    for (const [name, schema] of Object.entries(trial.operation.body?.properties ?? {})) {
      for (const value of misfits(schema as TSchema)) {
        const reply = await trial.send(changed(call, 'body', name, value))
        if (typeof value !== 'string') trial.expectRefused(reply, 'invalid_request_body')
        trial.expectEqual(reply.status, 400, 'the status', reply)
        const param = String(at(reply.body, 'error', 'param'))
        const isNamed = new RegExp(`^${name}($|[.[])`).test(param)
        trial.expect(isNamed, `error.param is ${param}, not ${name}`, reply)
      }
    }
  },
}

const not_objects = ['[]', '[1]', '[{}]', '"text"', '5', 'true', 'null']
const not_strict = ['{', '{"a":1,"a":2}', '\u0000']

export const malformed: Rule = {
  name: 'malformed',
  promise:
    'A body that is not a JSON object, holds a key twice or has another Content-Type is refused (contract/02#request-bodies).',
  applies: takesJson,
  async check(trial) {
    const call = await trial.call()
    for (const raw of [...not_objects, ...not_strict]) {
      trial.expectRefused(await trial.send(call, { raw }), 'invalid_request_body')
    }
    const text = await trial.send(call, { raw: '{}', contentType: 'text/plain' })
    trial.expectRefused(text, 'invalid_request_body', 'Content-Type')
  },
}

export const bodyForm: Rule = {
  name: 'body',
  promise:
    'A write without required fields takes no body, an empty one or {}; every other body needs its Content-Type (contract/02#request-bodies).',
  applies: takesJson,
  async check(trial) {
    const call = await trial.call()
    const withoutBody = { ...call, body: undefined }
    const bare = await trial.send({ ...call, body: undefined }, { raw: '{}', contentType: null })
    trial.expectRefused(bare, 'invalid_request_body', 'Content-Type')
    const forms = [{}, { raw: '' }, { raw: '{}' }]
    for (const [i, form] of forms.entries()) {
      const reply = await trial.send(withoutBody, { ...form, headers: { Prefer: 'dry-run' } })
      if (!trial.operation.bodyOptional) {
        trial.expectRefused(reply, 'invalid_request_body', i === 0 ? 'Content-Type' : undefined)
      } else expectBodyOptional(trial, reply, call.body === undefined)
    }
  },
}

/** What the call without its body asks for may be refused by the target's state, but not by the body's form. */
function expectBodyOptional(trial: Trial, reply: Reply, isValid: boolean): void {
  const isAnswered = reply.status === 200 || (!isValid && (reply.status === 400 || reply.status === 409))
  trial.expect(isAnswered, 'refused without a body', reply)
  if (reply.status === 400) {
    trial.expect(at(reply.body, 'error', 'param') !== 'Content-Type', 'a Content-Type is asked for', reply)
  }
}

export const wrongPath: Rule = {
  name: 'wrong-path',
  promise: 'An id that never existed, or is not one, answers 404 (contract/02#error-codes).',
  applies: ({ path }) => path.includes('{'),
  async check(trial) {
    const call = await trial.call()
    for (const name of Object.keys(call.params)) {
      for (const id of ['none_at_all', 'a b', "'; --", '💥']) {
        trial.expectRefused(await trial.send(changed(call, 'params', name, id)), 'resource_not_found')
      }
    }
  },
}

/** `fetch` sends neither TRACE nor CONNECT. */
const methods = [
  ...['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  ...['PROPFIND', 'QUERY', 'SEARCH', 'MKCOL'],
]

export const method: Rule = {
  name: 'method',
  promise:
    'Another method of a path answers 404; Allow names exactly those it has (contract/02#unknown-routes-and-methods).',
  applies: always,
  async check(trial) {
    const { catalogue, triedPaths } = trial.kit
    const path = trial.operation.path.replaceAll(/\{\w+\}/g, 'x9')
    if (triedPaths.has(path)) return
    triedPaths.add(path)
    const matches = ({ path: each }: Operation) => new RegExp(`^${each.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path)
    const own = new Set<string>(catalogue.filter(matches).map((each) => each.method))
    // A server may answer HEAD wherever it answers GET (RFC 9110 §9.3.2).
    const has = (each: string) => own.has(each === 'HEAD' ? 'GET' : each)
    for (const other of methods.filter((each) => !has(each))) {
      const reply = await trial.sendTo(other, path)
      trial.expectEqual(reply.status, 404, `the status of ${other}`, reply)
      if (other === 'HEAD') trial.expectEqual(reply.text, '', 'the body of HEAD')
      else trial.expectEqual(codeOf(reply), 'resource_not_found', 'error.code', reply)
      const allowed = (reply.headers.allow ?? '').split(/,\s*/).sort().join()
      trial.expectEqual(allowed, [...own].sort().join(), `Allow of ${other}`, reply)
    }
  },
}

const dates = ['2999-01-01', '1999-12-31', 'latest', '2026-8-3', '', 'x'.repeat(3000)]

export const version: Rule = {
  name: 'version',
  promise:
    'An unsupported Service-Version is refused; GET /v1, /v1/me and /v1/usage ignore it (contract/08#unsupported-versions).',
  applies: always,
  async check(trial) {
    const call = await trial.call()
    const { version: own } = trial.kit.identity
    const send = (date: string) => trial.send(call, { headers: { 'Service-Version': date } })
    for (const date of trial.sample('dates', [...dates, `${own}, ${own}`])) {
      const reply = await send(date)
      if (trial.operation.lenient) {
        trial.expectEqual(reply.status, 200, 'the status', reply)
        trial.expectEqual(reply.headers['service-version'], own, 'Service-Version', reply)
      } else trial.expectRefused(reply, 'invalid_query_parameter', 'Service-Version')
    }
    const pinned = await trial.sendGranted(call, `with Service-Version ${own}`, { headers: { 'Service-Version': own } })
    trial.expectEqual(pinned.headers['service-version'], own, 'Service-Version', pinned)
  },
}
