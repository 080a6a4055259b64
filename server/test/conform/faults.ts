/** Planted faults: each with the operation that shows it and the rule that must find it. */
import {
  type Answer,
  changeAnswer,
  changeBody,
  changeQuery,
  type Fault,
  type Sent,
  withHeader,
  withKey,
  withoutHeader,
} from './faulty-server.ts'

export interface Planted extends Fault {
  readonly rule: string
  readonly operation: string
  /** Completes "a server that …". */
  readonly name: string
}

const fault = (rule: string, operation: string, name: string, { request, reply }: Fault): Planted => ({
  ...{ rule, operation, name },
  ...(request === undefined ? {} : { request }),
  ...(reply === undefined ? {} : { reply }),
})

/** A fault of the requests: the sound server never sees what it should refuse. */
const inRequests = (rule: string, operation: string, name: string, request: Fault['request']): Planted =>
  fault(rule, operation, name, request === undefined ? {} : { request })

/** A fault of the answers. */
const inAnswers = (rule: string, operation: string, name: string, reply: Fault['reply']): Planted =>
  fault(rule, operation, name, reply === undefined ? {} : { reply })

const without = (header: string) => (sent: Sent) => withoutHeader(sent, header)
const withoutParameter = (name: string) => (sent: Sent) => changeQuery(sent, (query) => query.delete(name))

const codeOf = ({ body }: Answer): string => /"code":"(\w+)"/.exec(body)?.[1] ?? ''
const refusal = (answer: Answer, status: number, code: string, type: string): Answer =>
  changeAnswer({ ...answer, status, headers: { ...answer.headers, 'content-type': json } }, (body) => {
    body.error = { ...body.error, type, code, message: 'No.', request_id: answer.headers['x-request-id'] }
  })
const json = 'application/json; charset=utf-8'
const isReplay = ({ headers }: Answer): boolean => headers['idempotent-replayed'] === 'true'
const isLogOf = (log: string, { url }: Sent): boolean => url.startsWith(`/v1/${log}?`)

/** Changes the newest entry of the operation in a log. */
const inEntry = (log: string, operation: string, change: (entry: Record<string, unknown>) => void): Fault['reply'] => {
  return (answer, sent) =>
    isLogOf(log, sent)
      ? changeAnswer(answer, ({ data }) => {
          const entry = data.find((each: { action?: string }) => each.action === operation)
          if (entry !== undefined) change(entry)
        })
      : answer
}

const credentials: readonly Planted[] = [
  inRequests('credential', 'me.retrieve', 'needs no credential', (sent, { owner }) =>
    sent.headers.authorization === undefined ? withKey(sent, owner) : sent,
  ),
  inRequests('credential-in-url', 'boards.list', 'takes a credential in the URL', withoutParameter('api_key')),
  inRequests('scope', 'audit_logs.list', 'does not check scopes', (sent, { owner }) => withKey(sent, owner)),
  inAnswers('scope', 'tasks.delete', 'takes any other scope for the one it needs', (answer, sent, context) => {
    if (codeOf(answer) !== 'insufficient_scope') return answer
    const refused = Number(context.memory.get('refused') ?? 0) + 1
    context.memory.set('refused', refused)
    return refused === 2 ? context.askAsOwner(sent) : answer
  }),
  inAnswers('scope', 'teams.list', 'needs more than the one scope', (answer, sent, { owner }) =>
    sent.headers.authorization?.endsWith(owner) || answer.status !== 200
      ? answer
      : refusal(answer, 403, 'insufficient_scope', 'permission_error'),
  ),
  inAnswers('foreign', 'projects.retrieve', 'leaks a foreign object', (answer, sent, { askAsOwner }) =>
    answer.status === 404 ? askAsOwner(sent) : answer,
  ),
  inAnswers('foreign', 'tasks.update', 'reveals whether a foreign object exists', async (answer, sent, context) => {
    if (answer.status !== 404) return answer
    const { status } = await context.askAsOwner({ ...sent, method: 'GET', body: '', headers: {} })
    return status === 200
      ? changeAnswer(answer, ({ error }) => Object.assign(error, { message: 'Not yours.' }))
      : answer
  }),
]

const input: readonly Planted[] = [
  inAnswers('method', 'usage.retrieve', 'does not name the methods of a path', (answer) =>
    withoutHeader(answer, 'allow'),
  ),
  inAnswers('method', 'teams.list', 'names a method that the path does not have', (answer) =>
    answer.headers.allow === undefined ? answer : withHeader(answer, 'allow', `${answer.headers.allow}, POST`),
  ),
  inAnswers('method', 'members.list', 'answers 405 to another method', (answer) =>
    answer.headers.allow === undefined ? answer : { ...answer, status: 405 },
  ),
  inRequests('version', 'tasks.list', 'takes any version', without('service-version')),
  inAnswers('version', 'projects.create', 'refuses its own version', (answer, sent) =>
    sent.headers['service-version'] === answer.headers['service-version'] && answer.status === 200
      ? refusal(answer, 400, 'invalid_query_parameter', 'invalid_request_error')
      : answer,
  ),
  inRequests('unknown-parameter', 'teams.list', 'ignores an unknown parameter', withoutParameter('no_such')),
  inRequests('unknown-parameter', 'portfolios.list', 'ignores an offset', withoutParameter('offset')),
  inAnswers('unknown-parameter', 'me.retrieve', 'refuses a parameter where none is refused', (answer, { url }) =>
    url.includes('?') ? refusal(answer, 400, 'invalid_query_parameter', 'invalid_request_error') : answer,
  ),
  inRequests('repeated-parameter', 'columns.list', 'takes the first of two values', (sent) =>
    changeQuery(sent, (query) => query.set('limit', query.get('limit') ?? '20')),
  ),
  inRequests('unknown-field', 'boards.create', 'ignores an unknown field', (sent) =>
    changeBody(sent, (body) => delete body.no_such_field),
  ),
  inRequests('unknown-field', 'tasks.move', 'ignores __proto__', (sent) =>
    sent.body === '{"__proto__":{}}' ? { ...sent, body: '{}' } : sent,
  ),
  inAnswers('missing-field', 'time_entries.create', 'names one missing field only', (answer) =>
    changeAnswer(answer, ({ error }) => delete error?.details),
  ),
  inRequests('missing-field', 'portfolios.create', 'makes up a missing name', (sent) =>
    sent.url === '/v1/portfolios'
      ? changeBody(sent, (body) => Object.assign(body, { name: body.name ?? 'Untitled' }))
      : sent,
  ),
  inAnswers('wrong-type', 'invoice_drafts.create', 'fails with 500 on a wrong type', (answer) =>
    codeOf(answer) === 'invalid_request_body' ? refusal(answer, 500, 'internal_error', 'api_error') : answer,
  ),
  inRequests('wrong-type', 'tasks.update', 'takes null for a text', (sent) =>
    changeBody(sent, (body) => body.title === null && Object.assign(body, { title: 'None' })),
  ),
  inRequests('malformed', 'projects.archive', 'takes a list for an object', (sent) =>
    sent.body === '[]' ? { ...sent, body: '{}' } : sent,
  ),
  inRequests('malformed', 'tasks.complete', 'takes JSON sent as text', (sent) =>
    sent.headers['content-type'] === 'text/plain' ? withHeader(sent, 'content-type', 'application/json') : sent,
  ),
  inRequests('body', 'projects.delete', 'takes a body without Content-Type', (sent) =>
    sent.body === '' ? sent : withHeader(sent, 'content-type', 'application/json'),
  ),
  inAnswers('body', 'tasks.complete', 'needs a body where none is required', (answer, sent) =>
    sent.method === 'POST' && sent.body === '' && answer.status === 200
      ? refusal(answer, 400, 'invalid_request_body', 'invalid_request_error')
      : answer,
  ),
  inAnswers('wrong-path', 'boards.retrieve', 'answers 400 to an odd id', (answer, { url }) =>
    url.includes('%20') ? refusal(answer, 400, 'invalid_query_parameter', 'invalid_request_error') : answer,
  ),
]

let keys = 0
const newKey = (): string => `faulty-${++keys}`

const idempotency: readonly Planted[] = [
  inRequests('idempotency-key', 'tasks.create', 'needs no Idempotency-Key', (sent) =>
    sent.method === 'GET' || sent.headers['idempotency-key'] !== undefined
      ? sent
      : withHeader(sent, 'idempotency-key', newKey()),
  ),
  inAnswers('replay', 'portfolios.create', 'replays other bytes', (answer) =>
    isReplay(answer) ? changeAnswer(answer, (body) => Object.assign(body, { name: 'Another' })) : answer,
  ),
  inRequests('replay', 'workspaces.create', 'repeats the write instead of its answer', (sent) =>
    sent.method === 'GET' ? sent : withHeader(sent, 'idempotency-key', newKey()),
  ),
  inAnswers('replay', 'columns.delete', 'marks only the first replay', (answer, _sent, { memory }) => {
    if (!isReplay(answer) || !memory.has('replayed')) {
      if (isReplay(answer)) memory.set('replayed', 1)
      return answer
    }
    return withoutHeader(answer, 'idempotent-replayed')
  }),
  inRequests('key-reused', 'boards.update', 'does not compare If-Match of a repeated key', without('if-match')),
]

const conditional: readonly Planted[] = [
  inRequests('if-match', 'boards.update', 'ignores If-Match', without('if-match')),
  inRequests('if-match', 'tasks.delete', 'takes an unreadable If-Match', (sent) =>
    sent.headers['if-match'] === '01' ? withoutHeader(sent, 'if-match') : sent,
  ),
  inAnswers('if-match', 'columns.update', 'refuses a weak tag', (answer, sent) =>
    sent.headers['if-match']?.startsWith('W/') && answer.status === 200
      ? refusal(answer, 409, 'resource_conflict', 'invalid_request_error')
      : answer,
  ),
  inAnswers('if-match', 'projects.update', 'does not name the current revision', (answer) =>
    codeOf(answer) === 'resource_conflict'
      ? changeAnswer(answer, ({ error }) => Object.assign(error, { message: 'Another revision.' }))
      : answer,
  ),
  inRequests('etag', 'tasks.retrieve', 'reads one tag of If-None-Match only', (sent) =>
    sent.headers['if-none-match']?.includes(',') ? withoutHeader(sent, 'if-none-match') : sent,
  ),
  inAnswers('etag', 'portfolios.retrieve', 'has another ETag at each read', (answer, { method }) =>
    method === 'GET' && answer.status === 200 ? withHeader(answer, 'etag', `"1-${newKey()}"`) : answer,
  ),
  inAnswers('etag', 'organizations.retrieve', 'has an ETag that reads like a revision', (answer) =>
    answer.headers.etag === undefined ? answer : withHeader(answer, 'etag', '"1-abc"'),
  ),
  inAnswers('etag-changes', 'columns.update', 'keeps the ETag of a changed object', (answer, { method }) =>
    method === 'GET' ? withHeader(answer, 'etag', '"1-same"') : answer,
  ),
  inAnswers('no-change', 'workspaces.update', 'raises the revision without a change', (answer, { method }) =>
    method === 'PATCH'
      ? changeAnswer(answer, (body) => Object.assign(body, { revision: body.revision + ++keys }))
      : answer,
  ),
]

const answers: readonly Planted[] = [
  inAnswers('answers', 'tasks.retrieve', 'shows a field that is not documented', (answer) =>
    changeAnswer(answer, (body) => Object.assign(body, { realm: 3 })),
  ),
  inAnswers('answers', 'tasks.list', 'leaves a field out', (answer) =>
    changeAnswer(answer, (body) => delete body.data?.[0]?.labels),
  ),
  inAnswers('answers', 'events.stream', 'opens a stream without a retry time', (answer) => ({
    ...answer,
    body: answer.body.replace(/^retry: \d+\n/, ''),
  })),
  inAnswers('times', 'task_comments.list', 'answers times in milliseconds', (answer) =>
    changeAnswer(answer, (body) => {
      for (const item of body.data ?? []) item.created *= 1000
    }),
  ),
  inAnswers('headers', 'workspaces.retrieve', 'leaves out Vary', (answer) => withoutHeader(answer, 'vary')),
  inAnswers('headers', 'projects.create', 'names another price', (answer) =>
    answer.headers['x-ratelimit-cost'] === undefined ? answer : withHeader(answer, 'x-ratelimit-cost', '7'),
  ),
  inAnswers('headers', 'jobs.retrieve', 'lets refusals be cached', (answer) =>
    answer.status >= 400 ? withHeader(answer, 'cache-control', 'private, no-cache') : answer,
  ),
  inAnswers('headers', 'teams.list', 'sends its body type with a 304', (answer) =>
    answer.status === 304 ? withHeader(answer, 'content-type', json) : answer,
  ),
  inAnswers('headers', 'boards.create', 'uses a request id twice', (answer, _sent, { memory }) => {
    const first = String(memory.get('id') ?? answer.headers['x-request-id'])
    memory.set('id', first)
    return withHeader(answer, 'x-request-id', first)
  }),
  inAnswers('headers', 'members.list', 'sets a cookie', (answer) => withHeader(answer, 'set-cookie', 'a=b')),
  inAnswers('errors', 'tasks.update', 'refuses with a status outside the contract', (answer) =>
    answer.status === 403 ? { ...answer, status: 422 } : answer,
  ),
  inAnswers('errors', 'members.list', 'names no parameter in an error', (answer) =>
    answer.status === 400 ? changeAnswer(answer, ({ error }) => delete error.param) : answer,
  ),
  inAnswers('errors', 'boards.list', 'does not ask for a Bearer credential', (answer) =>
    withoutHeader(answer, 'www-authenticate'),
  ),
]

/** Puts an entry into a log that names the last request of this kind. */
const phantom = (log: string, isOf: (answer: Answer) => boolean, add: (data: object[], id: string) => void): Fault => ({
  reply(answer, sent, { memory }) {
    if (isOf(answer)) memory.set('id', answer.headers['x-request-id'] as string)
    const id = memory.get('id')
    if (id === undefined || !isLogOf(log, sent)) return answer
    return changeAnswer(answer, ({ data }) => add(data, String(id)))
  },
})
const addEntry = (data: object[], request: string): void => void data.unshift({ ...data[0], request })
const addEvent = (data: object[], id: string): void => void data.unshift({ ...data[0], request: { id } })

const effects: readonly Planted[] = [
  fault(
    'no-effect',
    'task_comments.create',
    'writes an audit entry at a replay',
    phantom('audit_logs', isReplay, addEntry),
  ),
  fault(
    'no-effect',
    'boards.delete',
    'emits an event at a refusal',
    phantom('events', ({ status }) => status === 403, addEvent),
  ),
  inAnswers('events', 'time_entries.create', 'emits no event', (answer, sent) =>
    isLogOf('events', sent)
      ? changeAnswer(answer, (body) => {
          body.data = body.data.filter(({ type }: { type: string }) => type !== 'workflow.time_entry.created')
        })
      : answer,
  ),
  inAnswers('audit', 'expenses.create', 'writes no audit entry', (answer, sent) =>
    isLogOf('audit_logs', sent)
      ? changeAnswer(answer, (body) => {
          body.data = body.data.filter(({ action }: { action: string }) => action !== 'expenses.create')
        })
      : answer,
  ),
  inAnswers(
    'audit',
    'boards.create',
    'names another actor in the audit entry',
    inEntry('audit_logs', 'boards.create', (entry) => Object.assign(entry, { actor: { type: 'system', id: null } })),
  ),
  inAnswers(
    'audit',
    'tasks.update',
    'names no changed field in the audit entry',
    inEntry('audit_logs', 'tasks.update', (entry) => Object.assign(entry, { changed_fields: [] })),
  ),
  inAnswers(
    'audit',
    'projects.delete',
    'breaks the chain of the audit log',
    inEntry('audit_logs', 'projects.delete', (entry) => Object.assign(entry, { previous_hash: '0'.repeat(64) })),
  ),
  inAnswers('request-log', 'columns.retrieve', 'does not log a request', (answer, { url }) =>
    url.startsWith('/v1/request_logs/') ? refusal(answer, 404, 'resource_not_found', 'invalid_request_error') : answer,
  ),
  inAnswers('request-log', 'portfolios.create', 'logs no event of a write', (answer, { url }) =>
    url.startsWith('/v1/request_logs/') ? changeAnswer(answer, (body) => Object.assign(body, { events: [] })) : answer,
  ),
  inAnswers('request-log', 'teams.list', 'logs another charge', (answer, { url }) =>
    url.startsWith('/v1/request_logs/') ? changeAnswer(answer, (body) => Object.assign(body, { charged: 0 })) : answer,
  ),
  inAnswers('credits', 'expenses.create', 'charges twice the price', (answer, { url }) =>
    url === '/v1/usage' ? changeAnswer(answer, ({ day }) => Object.assign(day, { used: day.used * 2 })) : answer,
  ),
  inRequests('dry-run', 'columns.create', 'carries out a dry run', without('prefer')),
  inAnswers('tombstone', 'tasks.delete', 'answers 404 for a deleted object', (answer) =>
    answer.status === 410 ? refusal(answer, 404, 'resource_not_found', 'invalid_request_error') : answer,
  ),
]

const lists: readonly Planted[] = [
  inAnswers('paging', 'tasks.list', 'skips an object after a cursor', (answer, { url }) =>
    /limit=[123]&starting_after/.test(url) || /starting_after=[^&]+&limit=[123]$/.test(url)
      ? changeAnswer(answer, (body) => body.data?.shift())
      : answer,
  ),
  inRequests('paging', 'expenses.list', 'takes +5 for a limit', (sent) =>
    changeQuery(sent, (query) => query.get('limit') === '+5' && query.set('limit', '5')),
  ),
  inRequests('cursors', 'boards.list', 'takes the cursor of another list', (sent) =>
    sent.url.startsWith('/v1/audit_logs') ? withoutParameter('cursor')(sent) : sent,
  ),
  inAnswers('cursors', 'events.list', 'takes a cursor that was changed', (answer, sent, { ask }) =>
    codeOf(answer) === 'cursor_invalid' && sent.url.endsWith('A') ? ask(withoutParameter('cursor')(sent)) : answer,
  ),
  inAnswers('cursors', 'audit_logs.list', 'takes a cursor of other filters', (answer, sent, { ask }) =>
    codeOf(answer) === 'cursor_filter_mismatch' ? ask(withoutParameter('cursor')(sent)) : answer,
  ),
  inAnswers('cursors', 'projects.list', 'answers some unknown cursors differently', (answer, { url }) =>
    url.includes('starting_after=x') && codeOf(answer) === 'cursor_invalid'
      ? changeAnswer(answer, ({ error }) => Object.assign(error, { message: 'Too short.' }))
      : answer,
  ),
  inRequests('cursors', 'columns.list', 'takes two cursors at once', (sent) =>
    changeQuery(sent, (query) => query.has('starting_after') && query.delete('ending_before')),
  ),
  inRequests('fields', 'workspaces.list', 'ignores fields', withoutParameter('fields')),
  inRequests('fields', 'teams.list', 'takes a field twice', (sent) =>
    changeQuery(sent, (query) => query.get('fields') === 'id,id' && query.set('fields', 'id')),
  ),
]

export const faults: readonly Planted[] = [
  ...credentials,
  ...input,
  ...idempotency,
  ...conditional,
  ...answers,
  ...effects,
  ...lists,
]
