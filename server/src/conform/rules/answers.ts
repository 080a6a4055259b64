/** What every answer looks like: headers, shape, times, errors. */
import { at, type Reply } from '../client.ts'
import { conformLimits } from '../conform-limits.ts'
import { always, type Rule } from '../rule.ts'
import { faultsOf, wrongTimes } from '../shapes.ts'
import { skip, type Trial } from '../trial.ts'

const request_id = /^req_[0-7][0-9A-HJKMNP-TV-Z]{25}$/

export const headers: Rule = {
  name: 'headers',
  promise:
    'Every answer has its own X-Request-Id, Cache-Control, Vary, and what it costs and leaves (contract §4.1, decisions §4, §5).',
  applies: always,
  async check(trial) {
    const { first, again, refused } = await trial.script()
    const ids = new Set<string>()
    for (const reply of [first, again, refused]) if (reply !== null) checkHeaders(trial, reply, ids)
    trial.expectEqual(first.headers['x-ratelimit-cost'], String(trial.operation.credits), 'X-RateLimit-Cost', first)
    const type = trial.operation.streams ? 'text/event-stream' : 'application/json; charset=utf-8'
    trial.expect(first.headers['content-type']?.startsWith(type) === true, `Content-Type is not ${type}`, first)
    trial.expectEqual(first.headers.etag !== undefined, trial.operation.method === 'GET', 'having an ETag', first)
  },
}

function checkHeaders(trial: Trial, reply: Reply, ids: Set<string>): void {
  const { operation } = trial
  const about = `of ${reply.status}`
  const id = reply.headers['x-request-id'] ?? ''
  trial.expect(request_id.test(id), `X-Request-Id ${about} is ${JSON.stringify(id)}`)
  trial.expect(!ids.has(id), `X-Request-Id ${about} was given before`)
  ids.add(id)
  const kept = operation.method === 'GET' && !operation.streams && operation.id !== 'jobs.retrieve'
  trial.expectEqual(
    reply.headers['cache-control'],
    kept ? 'private, no-cache' : 'private, no-store',
    `Cache-Control ${about}`,
  )
  trial.expectEqual(reply.headers.vary, 'Authorization, Service-Version', `Vary ${about}`)
  if (reply.status !== 304) {
    trial.expect(
      /^\d{4}-\d\d-\d\d$/.test(reply.headers['service-version'] ?? ''),
      `Service-Version ${about} is missing`,
    )
  } else trial.expectEqual(reply.text, '', 'the body of a 304')
  checkWindow(trial, reply, about)
}

/** Absent where nothing is limited. */
function checkWindow(trial: Trial, { headers: sent, status }: Reply, about: string): void {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => sent[`x-ratelimit-${name}`])
  const given = [limit, remaining, reset].filter((value) => value !== undefined).length
  trial.expect(given === 0 || given === 3, `X-RateLimit-* ${about} are not whole`)
  if (given !== 3 || status === 401) return
  trial.expect(
    Number(remaining) >= 0 && Number(remaining) <= Number(limit),
    `X-RateLimit-Remaining ${about} is ${remaining} of ${limit}`,
  )
  trial.expect(/^\d{10}$/.test(reset ?? ''), `X-RateLimit-Reset ${about} is no time in seconds`)
  trial.expect(sent.ratelimit !== undefined && sent['ratelimit-policy'] !== undefined, `RateLimit ${about} is missing`)
}

export const answers: Rule = {
  name: 'answers',
  promise: 'Answers are valid against the OpenAPI document, and have no field that it does not name (contract §2).',
  applies: ({ streams }) => !streams,
  async check(trial) {
    const { first } = await trial.script()
    for (const fault of faultsOf(trial.operation, first.body)) trial.fail(fault)
    if (trial.operation.kind !== 'list') return
    trial.expectEqual(at(first.body, 'url'), first.path.split('?')[0], 'url', first)
    trial.expectEqual(
      at(first.body, 'next_cursor') === null,
      at(first.body, 'has_more') === false,
      'having no next_cursor',
      first,
    )
  },
}

export const times: Rule = {
  name: 'times',
  promise: 'Times are integers in Unix seconds; only duration_ms is in milliseconds (contract §1, convention 2).',
  applies: ({ streams }) => !streams,
  async check(trial) {
    const { first } = await trial.script()
    for (const fault of wrongTimes(first.body)) trial.fail(fault)
    const made = Number(at(first.body, 'created'))
    if (
      trial.operation.method !== 'POST' ||
      !Number.isFinite(made) ||
      Object.keys(trial.operation.example.params ?? {}).length > 0
    )
      return
    const off = Math.abs(made - Date.parse(first.headers.date ?? '') / 1000)
    trial.expect(!(off > conformLimits.clock_difference_seconds_max), `created is ${made}, far from the server's Date`)
  },
}

export const errors: Rule = {
  name: 'errors',
  promise:
    'Every error is in the one envelope, with the status and type of its code, and a code of the operation’s class (contract §7).',
  applies: always,
  async check(trial) {
    const call = await trial.call()
    await trial.send({ ...call, query: { ...call.query, no_such_parameter: '1' } })
    await trial.send(call, { key: null })
    if (trial.errors === 0) skip('nothing was refused')
    for (const fault of trial.errorFaults) trial.fail(fault)
  },
}
