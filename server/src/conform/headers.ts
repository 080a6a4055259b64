/** The headers of every answer (contract/05#caching, contract/05#vary, contract/05#request-ids, contract/04#headers). */
import type { Operation } from '../api/declare/operation.ts'
import type { Reply } from './client.ts'

const request_id = /^req_[0-7][0-9A-HJKMNP-TV-Z]{25}$/
/** A compressed answer also varies by `Accept-Encoding` (contract/05#vary). */
const varies = ['Authorization, Service-Version', 'Authorization, Service-Version, Accept-Encoding']
const of_no_304 = ['content-type', 'service-version', 'x-ratelimit-cost', 'content-length']

/** The faults of an answer's headers. `seen` holds the request ids of the run and gains this one. */
export function faultsOfHeaders(reply: Reply, operation: Operation, seen: Set<string>): string[] {
  const { headers, status, text } = reply
  const faults: string[] = []
  const expect = (holds: boolean, message: string) => {
    if (!holds) faults.push(message)
  }
  const expectHeader = (name: string, expected: string | undefined) =>
    expect(headers[name] === expected, `${name} of ${status} is ${headers[name]}, not ${expected}`)
  const reads = operation.method === 'GET'
  const isDryRun = headers['preference-applied'] === 'dry-run'
  const id = headers['x-request-id'] ?? ''
  expect(request_id.test(id), `x-request-id of ${status} is ${JSON.stringify(id)}`)
  expect(!seen.has(id), `x-request-id of ${status} is used twice`)
  seen.add(id)
  const isRevalidated = reads && operation.cached
  expectHeader('cache-control', isRevalidated ? 'private, no-cache' : 'private, no-store')
  expect(varies.includes(headers.vary ?? ''), `vary of ${status} is ${headers.vary}, not ${varies[0]}`)
  for (const name of ['set-cookie', 'x-powered-by']) expectHeader(name, undefined)
  expect((headers.etag !== undefined) === (reads && status < 400), `etag of ${status} is ${headers.etag}`)
  if (status === 304) {
    for (const name of of_no_304) expectHeader(name, undefined)
    expect(text === '', 'a 304 has a body')
  } else {
    const version = headers['service-version'] ?? ''
    expect(/^\d{4}-\d\d-\d\d$/.test(version), `service-version of ${status} is ${JSON.stringify(version)}`)
    const isStream = operation.streams && status === 200
    const type = isStream ? 'text/event-stream' : 'application/json; charset=utf-8'
    const given = headers['content-type'] ?? ''
    const expected = isDryRun && status === 200 ? `${type}; profile=dry-run` : type
    expect(
      isStream ? given.startsWith(type) : given === expected,
      `content-type of ${status} is ${given}, not ${expected}`,
    )
    expectHeader('x-ratelimit-cost', status === 200 ? String(operation.credits) : undefined)
  }
  return [...faults, ...faultsOfWindow(reply)]
}

/** Unlimited credentials have none of these headers. */
function faultsOfWindow({ headers, status }: Reply): string[] {
  const window = ['limit', 'remaining', 'reset'].map((name) => headers[`x-ratelimit-${name}`])
  const given = window.filter((value) => value !== undefined).length
  if (given !== 0 && given !== window.length) return [`x-ratelimit-* of ${status} is incomplete`]
  if (given === 0) return []
  const [limit, remaining, reset] = window.map(Number) as [number, number, number]
  const faults: string[] = []
  if (!(remaining >= 0 && remaining <= limit)) {
    faults.push(`x-ratelimit-remaining of ${status} is ${remaining} of ${limit}`)
  }
  if (!/^\d{10}$/.test(String(reset))) faults.push(`x-ratelimit-reset of ${status} is not a time in seconds`)
  if (headers.ratelimit === undefined || headers['ratelimit-policy'] === undefined) {
    faults.push(`ratelimit or ratelimit-policy of ${status} is missing`)
  }
  return faults
}
