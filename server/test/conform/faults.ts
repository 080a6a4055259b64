/** Faults that a server might have, each with the rule that must find it and the operation that shows it. */
import { type Answered, type Asked, type Fault, spoilt, without } from './faulty-server.ts'

export interface Planted extends Fault {
  readonly name: string
  readonly rule: string
  readonly operation: string
}

const withoutParameter = (asked: Asked, name: string): Asked => {
  const url = new URL(asked.url, 'http://x')
  url.searchParams.delete(name)
  return { ...asked, url: url.pathname + url.search }
}
const withoutHeader = (asked: Asked, name: string): Asked => {
  const { [name]: _dropped, ...headers } = asked.headers
  return { ...asked, headers }
}
const isError = (answered: Answered, code: string): boolean => answered.body.includes(`"code":"${code}"`)
const refusal = (answered: Answered, status: number, code: string, type: string): Answered =>
  spoilt({ ...answered, status }, ({ error }) => Object.assign(error, { code, type }))

/** `owner` is the key that may do everything. */
export const faults = (owner: string): readonly Planted[] => [
  {
    name: 'drops the header Vary',
    ...{ rule: 'headers', operation: 'workspaces.retrieve' },
    reply: (answered) => without(answered, 'vary'),
  },
  {
    name: 'names another price in X-RateLimit-Cost',
    ...{ rule: 'headers', operation: 'projects.create' },
    reply: (answered) => ({ ...answered, headers: { ...answered.headers, 'x-ratelimit-cost': '7' } }),
  },
  {
    name: 'answers 404 for what was deleted',
    ...{ rule: 'tombstone', operation: 'tasks.delete' },
    reply: (answered) =>
      answered.status === 410 ? refusal(answered, 404, 'resource_not_found', 'invalid_request_error') : answered,
  },
  {
    name: 'refuses with a status that is none of the contract',
    ...{ rule: 'errors', operation: 'tasks.update' },
    reply: (answered) => (answered.status === 400 ? { ...answered, status: 422 } : answered),
  },
  {
    name: 'replays other bytes',
    ...{ rule: 'replay', operation: 'portfolios.create' },
    reply: (answered) =>
      answered.headers['idempotent-replayed'] === undefined
        ? answered
        : spoilt(answered, (body) => Object.assign(body, { name: 'Another' })),
  },
  {
    name: 'carries out a repeated request anew',
    ...{ rule: 'replay', operation: 'workspaces.create' },
    request: (asked) => ({
      ...asked,
      headers: { ...asked.headers, ...(asked.method === 'GET' ? {} : { 'idempotency-key': `k${++count}` }) },
    }),
  },
  {
    name: 'leaks a foreign object',
    ...{ rule: 'foreign', operation: 'projects.retrieve' },
    reply: (answered, asked, ask) =>
      answered.status === 404
        ? ask({ ...asked, headers: { ...asked.headers, authorization: `Bearer ${owner}` } })
        : answered,
  },
  {
    name: 'says whether a foreign object exists',
    ...{ rule: 'foreign', operation: 'tasks.update' },
    async reply(answered, asked, ask) {
      if (answered.status !== 404) return answered
      const read = { ...asked, method: 'GET', headers: { authorization: `Bearer ${owner}` }, body: '' }
      const exists = (await ask(read)).status === 200
      return exists ? spoilt(answered, ({ error }) => Object.assign(error, { message: 'Not yours.' })) : answered
    },
  },
  {
    name: 'keeps the ETag of an object that changes',
    ...{ rule: 'etag-changes', operation: 'columns.update' },
    reply: (answered, { method }) =>
      method === 'GET' ? { ...answered, headers: { ...answered.headers, etag: '"1-same"' } } : answered,
  },
  {
    name: 'skips an object behind a cursor',
    ...{ rule: 'paging', operation: 'tasks.list' },
    reply: (answered, { url }) =>
      /limit=[123]&starting_after/.test(url) || /starting_after=[^&]+&limit=[123]$/.test(url)
        ? spoilt(answered, (body) => body.data?.shift())
        : answered,
  },
  {
    name: 'takes the cursor of another list',
    ...{ rule: 'cursors', operation: 'boards.list' },
    request: (asked) => (asked.url.startsWith('/v1/audit_logs') ? withoutParameter(asked, 'cursor') : asked),
  },
  {
    name: 'answers with a field that is not documented',
    ...{ rule: 'answers', operation: 'tasks.retrieve' },
    reply: (answered) => spoilt(answered, (body) => Object.assign(body, { realm: 3 })),
  },
  {
    name: 'leaves a field out',
    ...{ rule: 'answers', operation: 'tasks.list' },
    reply: (answered) => spoilt(answered, (body) => delete body.data?.[0]?.labels),
  },
  {
    name: 'charges twice the price',
    ...{ rule: 'credits', operation: 'expenses.create' },
    reply: (answered, { url }) =>
      url === '/v1/usage' ? spoilt(answered, ({ day }) => Object.assign(day, { used: day.used * 2 })) : answered,
  },
  {
    name: 'tells nothing of a write',
    ...{ rule: 'events', operation: 'time_entries.create' },
    reply: (answered, { url }) =>
      url.startsWith('/v1/events?')
        ? spoilt(answered, (body) =>
            Object.assign(body, { data: body.data.filter(isOther('workflow.time_entry.created')) }),
          )
        : answered,
  },
  {
    name: 'names no parameter in an error',
    ...{ rule: 'errors', operation: 'members.list' },
    reply: (answered) => (answered.status === 400 ? spoilt(answered, ({ error }) => delete error.param) : answered),
  },
  {
    name: 'fails with 500 on a wrong type',
    ...{ rule: 'wrong-type', operation: 'invoice_drafts.create' },
    reply: (answered) =>
      isError(answered, 'invalid_request_body') ? refusal(answered, 500, 'internal_error', 'api_error') : answered,
  },
  {
    name: 'ignores a parameter that there is not',
    ...{ rule: 'unknown-parameter', operation: 'teams.list' },
    request: (asked) => withoutParameter(asked, 'no_such_parameter'),
  },
  {
    name: 'tells times in milliseconds',
    ...{ rule: 'times', operation: 'task_comments.list' },
    reply: (answered) =>
      spoilt(answered, (body) => {
        for (const item of body.data ?? []) item.created *= 1000
      }),
  },
  {
    name: 'takes a credential in the URL',
    ...{ rule: 'credential-in-url', operation: 'boards.list' },
    request: (asked) => withoutParameter(asked, 'api_key'),
  },
  {
    name: 'carries a dry run out',
    ...{ rule: 'dry-run', operation: 'columns.create' },
    request: (asked) => withoutHeader(asked, 'prefer'),
  },
  {
    name: 'needs no Idempotency-Key',
    ...{ rule: 'idempotency-key', operation: 'tasks.create' },
    request: (asked) =>
      asked.method === 'GET' ? asked : { ...asked, headers: { 'idempotency-key': `k${++count}`, ...asked.headers } },
  },
  {
    name: 'does not look at scopes',
    ...{ rule: 'scope', operation: 'audit_logs.list' },
    request: (asked) => ({ ...asked, headers: { ...asked.headers, authorization: `Bearer ${owner}` } }),
  },
  {
    name: 'does not look at If-Match',
    ...{ rule: 'if-match', operation: 'boards.update' },
    request: (asked) => withoutHeader(asked, 'if-match'),
  },
  {
    name: 'does not select fields',
    ...{ rule: 'fields', operation: 'workspaces.list' },
    request: (asked) => withoutParameter(asked, 'fields'),
  },
  {
    name: 'does not say which methods there are',
    ...{ rule: 'method', operation: 'usage.retrieve' },
    reply: (answered) => without(answered, 'allow'),
  },
]

let count = 0

const isOther = (type: string) => (event: { type: string }) => event.type !== type
