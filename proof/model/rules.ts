/** What every request goes through, in the order of decisions §2; the model's answer to it. */
import type { Asked, Expectation } from './asked.ts'
import { charge, fits, remainingOf } from './credits.ts'
import { bodyOf, checkBodyForm, checkQuery, isRehearsal, readKey, readMatch } from './input.ts'
import { checkFilters } from './lists.ts'
import { logRequest } from './logs.ts'
import type { Model } from './model.ts'
import { Any, type Expected, type Fields, type Name, unknown_value } from './names.ts'
import type { Answer, Context, OperationModel } from './operation.ts'
import { type Code, conflict, isKept, notFound, Refused } from './refused.ts'
import type { Credential, Kept, Realm, Thing } from './state.ts'

const day = 86_400

/** The answer that the contract promises to a request; the model is then as the organization is afterwards. */
export function answer(model: Model, asked: Asked, incident: Incident = 'none'): Expectation {
  const request = model.name('req')
  const { operation } = asked
  let credential: Credential
  try {
    credential = admit(model, asked, incident)
  } catch (error) {
    return refusal(model, { asked, request, credential: admitted(error) }, error)
  }
  model.drop()
  const going: Going = { asked, request, credential }
  try {
    const made = operation.method === 'GET' ? read(model, going) : write(model, going)
    return { ...made, remaining: remainingOf(model, credential) }
  } catch (error) {
    model.drop()
    return refusal(model, going, error)
  }
}

interface Going {
  readonly asked: Asked
  readonly request: Name
  /** `null`: nobody's. */
  readonly credential: Credential | null
}

/** Refused behind the credential: whose request it was. */
class RefusedTo extends Refused {
  readonly credential: Credential
  constructor(code: Code, to: Credential) {
    super(code, null)
    this.credential = to
  }
}

const admitted = (error: unknown): Credential | null => (error instanceof RefusedTo ? error.credential : null)

/** What is broken while a request is answered: the store, the account of credits, or something that nobody thought of. */
export type Incident = 'none' | 'no store' | 'no account' | 'a fault'

function admit(model: Model, { operation, presented, inUrl }: Asked, incident: Incident): Credential {
  const { secret, is } = presented
  if (inUrl) throw new Refused('invalid_api_key', null)
  if (secret === null) throw new Refused('missing_api_key', null)
  if (incident === 'no store' && is !== null) throw new Refused('credential_validation_unavailable', null)
  const isToken = is === null ? secret.startsWith('atr_at_') : is.kind === 'access_token'
  if (is === null || is.isGone || (is.expires !== null && is.expires <= model.now)) {
    throw new Refused(isToken ? 'invalid_access_token' : 'invalid_api_key', null)
  }
  if (model.data.disabled.includes(operation.id)) throw new RefusedTo('endpoint_disabled', is)
  if (model.data.plan === null) throw new RefusedTo('plan_required', is)
  if (operation.scope !== null && !is.scopes.includes(operation.scope)) throw new RefusedTo('insufficient_scope', is)
  if (incident === 'no account') throw new RefusedTo('rate_limit_unavailable', is)
  if (incident === 'a fault') throw new RefusedTo('internal_error', is)
  if (!fits(model, is, operation.credits)) throw new RefusedTo('rate_limit_exceeded', is)
  return is
}

const nothing = {
  code: null,
  param: undefined,
  answer: null,
  revision: null,
  tag: null,
  replayOf: null,
  isDryRun: false,
  remaining: null,
  frames: null,
} as const

const uncharged: ReadonlySet<number> = new Set([401, 402, 403, 429, 500, 503])

/** Refused before anything was counted, though it is known whose request it was. */
const uncounted: ReadonlySet<Code> = new Set([
  'plan_required',
  'endpoint_disabled',
  'rate_limit_unavailable',
  'internal_error',
])

function refusal(
  model: Model,
  { asked, request, credential }: Going,
  error: unknown,
  replayOf: Name | null = null,
): Expectation {
  if (!(error instanceof Refused)) throw error
  const { status, code, param } = error
  const isCounted = credential !== null && !uncounted.has(code) && !(error instanceof RefusedTo && status === 403)
  const cost = uncharged.has(status) || replayOf !== null ? 0 : 1
  if (credential !== null && isCounted) charge(model, credential, cost)
  const isDryRun = isRehearsal(asked)
  if (credential !== null) {
    logRequest(model, {
      asked,
      request,
      credential,
      status,
      code,
      param,
      cost: isCounted ? cost : 0,
      replayOf,
      events: [],
    })
  }
  const remaining = credential !== null && isCounted ? remainingOf(model, credential) : null
  return { ...nothing, status, code, param, request, replayOf, isDryRun, remaining }
}

/** What a request is about, for its operation. */
function contextOf(model: Model, { asked, credential }: Going): Context {
  const { operation, params } = asked
  const realm = model.realm((credential as Credential).mode)
  const { query, many } = checkQuery(operation, asked)
  const nobody = undefined as unknown as Thing
  return {
    model,
    realm,
    credential: credential as Credential,
    asked,
    now: model.now,
    params,
    query,
    many,
    body: {},
    target: nobody,
    parent: nobody,
    audit: { target: null, room: null, workspace: null, reason: null, force: false },
  }
}

/** Adds what the path names, the outer one first. */
function aimed(context: Context, workspace: unknown): Context {
  const { model, realm, asked } = context
  const { operation, params } = asked
  const [first = '', last = first] = operation.names.map((name) => params[name] as string)
  const parent = operation.parent === undefined ? context.parent : model.find(realm, operation.parent, first, workspace)
  if (operation.target === undefined) return { ...context, parent }
  if (operation.parent === undefined)
    return { ...context, parent, target: model.find(realm, operation.target, first, workspace) }
  return { ...context, parent, target: findInner(context, operation.target, parent, last) }
}

function findInner({ realm }: Context, kind: string, parent: Thing, reference: string): Thing {
  const isMember = kind === 'board_member'
  const found = realm.things.findLast(
    (thing) =>
      thing.kind === kind &&
      (isMember ? thing.shown.user === reference && !thing.isDeleted : thing.id === reference) &&
      (thing.shown.task ?? thing.shown.from ?? thing.shown.board) === parent.id,
  )
  if (found === undefined) throw notFound()
  if (found.isDeleted) throw new Refused('resource_deleted', null)
  return found
}

function read(model: Model, going: Going): Expectation {
  const { asked, request, credential } = going
  const { operation } = asked
  const context = contextOf(model, going)
  checkFilters(context)
  const found = operation.run(aimed(context, aimsAt(operation, context.query.workspace)))
  const frames = (found.frames as Expected[] | undefined) ?? null
  const tag = model.name('etag')
  const isSame = frames === null && hasTag(model, asked, found)
  const cost = isSame ? 0 : operation.credits
  charge(model, credential as Credential, cost)
  const status = isSame ? 304 : 200
  logRequest(model, {
    asked,
    request,
    credential: credential as Credential,
    status,
    code: null,
    param: null,
    cost,
    replayOf: null,
    events: [],
  })
  if (isSame) return { ...nothing, status, request }
  const revision = typeof found.revision === 'number' ? found.revision : null
  if (frames === null && isExact(found)) tags(model).set(tag, textOf(asked, found))
  return { ...nothing, status, request, answer: found, revision, tag, frames }
}

/** Texts of answers that were tagged, by tag; a model has its own. */
const tagged = new WeakMap<Model, Map<Name, string>>()

function tags(model: Model): Map<Name, string> {
  const known = tagged.get(model)
  if (known !== undefined) return known
  const made = new Map<Name, string>()
  tagged.set(model, made)
  return made
}

/** Tags of answers that a later request may ask about, the youngest last. */
export function tagsOf(model: Model): Name[] {
  return [...tags(model).keys()]
}

const textOf = ({ operation, params }: Asked, found: Answer): string =>
  JSON.stringify([operation.id === 'organizations.retrieve' ? params : null, found])

function hasTag(model: Model, asked: Asked, found: Answer): boolean {
  const sent = asked.headers['if-none-match']
  if (sent === undefined) return false
  if (sent === '*') return true
  return sent.split(', ').some((tag) => tags(model).get(tag.replace(/^W\//, '')) === textOf(asked, found))
}

function isExact(value: Expected): boolean {
  if (value instanceof Any) return false
  if (value === null || typeof value !== 'object') return true
  return Object.values(value).every((inner) => isExact(inner as Expected))
}

function write(model: Model, going: Going): Expectation {
  const { asked, credential } = going
  const { operation } = asked
  const key = readKey(asked)
  checkBodyForm(asked)
  const context = contextOf(model, going)
  const { body, faults } = bodyOf(operation, asked)
  const match = readMatch(operation, asked, faults)
  operation.check?.(body)
  const workspace = oneWorkspace(context.query.workspace, body.workspace)
  const print = printOf(asked)
  const name = `${(credential as Credential).id} ${key}`
  const known = context.realm.kept[name]
  const earlier = known !== undefined && known.created + day > model.now ? known : null
  if (earlier !== null && earlier.print !== print) throw new Refused('idempotency_key_reused')
  const carry = (): { made: Answer; context: Context } => {
    const aim = { ...aimed({ ...context, body }, aimsAt(operation, workspace)), body }
    if (match !== null && aim.target?.shown.revision !== undefined && match !== aim.target.shown.revision)
      throw conflict()
    return { made: operation.run(aim), context: aim }
  }
  if (isRehearsal(asked)) return rehearse(model, going, carry, earlier)
  if (earlier !== null) return replay(model, going, earlier)
  try {
    const { made, context: done } = carry()
    context.realm.kept[name] = { print, created: model.now, request: going.request, status: 200, code: null }
    return finish(model, going, done, made, key)
  } catch (error) {
    if (error instanceof Refused && isKept(error.code)) {
      const { status, code } = error
      context.realm.kept[name] = { print, created: model.now, request: going.request, status, code }
    }
    throw error
  }
}

/** Creations refer to a workspace; other writes only name that of their target. */
const aimsAt = (operation: OperationModel, workspace: unknown): unknown =>
  operation.target === undefined && operation.parent === undefined ? undefined : workspace

function oneWorkspace(inQuery: unknown, inBody: unknown): unknown {
  if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody)
    throw new Refused('invalid_request_body', 'workspace')
  return inQuery ?? inBody
}

/** All that makes a write another one under the same key. */
function printOf({ operation, params, query, body, headers }: Asked): string {
  const match = operation.method === 'POST' ? null : headers['if-match']
  return JSON.stringify([operation.id, params, [...query].sort(), sorted(body ?? {}), match ?? null])
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  )
}

function replay(model: Model, going: Going, earlier: Kept): Expectation {
  const { asked, request, credential } = going
  const { status, code, request: replayOf } = earlier
  if (code !== null) return refusal(model, going, new Refused(code), replayOf)
  logRequest(model, {
    asked,
    request,
    credential: credential as Credential,
    status,
    code,
    param: null,
    cost: 0,
    replayOf,
    events: [],
  })
  return { ...nothing, status, request, replayOf }
}

/**
 * Answers to a write whose twin was sent with it: it finds the other under way, or done. Which of the two, and so what it
 * costs, is chance: the next day's windows begin alike again.
 */
export function answerTwin(
  model: Model,
  asked: Asked,
  first: Expectation,
): { late: Expectation; replayed: Expectation } {
  const request = model.name('req')
  const credential = model.credential(asked.presented.is?.id ?? '') as Credential
  const noted = {
    asked,
    request,
    credential,
    status: 0,
    code: null,
    param: undefined,
    cost: 0,
    replayOf: null,
    events: [],
  }
  logRequest(model, noted)
  const told = model.data.requests.at(-1) as { fields: Fields }
  for (const name of ['status', 'error_code', 'charged', 'idempotency_replayed', 'original_request'])
    told.fields[name] = unknown_value
  const one = { ...nothing, request, remaining: 'unknown' } as const
  return {
    late: { ...one, status: 409, code: 'idempotency_in_progress' },
    replayed: { ...one, status: first.status, code: first.code, param: first.param, replayOf: first.request },
  }
}

/** What a write would do, in its envelope; everything is then put back. */
function rehearse(
  model: Model,
  going: Going,
  carry: () => { made: Answer; context: Context },
  earlier: Kept | null,
): Expectation {
  const { asked, request, credential } = going
  const { operation } = asked
  const before = structuredClone(model.data)
  try {
    const { made, context } = carry()
    const commit = model.commit(context.realm, actorOf(context.credential), null)
    const answer: Answer = {
      object: 'dry_run',
      operation: operation.id,
      status: 200,
      answer: masked(made),
      events: new Any('events', (value) => Array.isArray(value) && value.length === (commit?.events.length ?? 0)),
      event_count: commit?.events.length ?? 0,
      credits: operation.credits,
      replays: earlier?.request ?? null,
      skipped_calls: new Any('a list', Array.isArray),
    }
    model.data = before
    charge(model, credentialIn(model, credential), 1)
    logRequest(model, {
      asked,
      request,
      credential: credential as Credential,
      status: 200,
      code: null,
      param: null,
      cost: 1,
      replayOf: null,
      events: [],
    })
    return { ...nothing, status: 200, request, answer, isDryRun: true }
  } catch (error) {
    model.data = before
    throw error
  }
}

/** Data that was put back holds the credential anew. */
function credentialIn(model: Model, credential: Credential | null): Credential {
  return model.credential((credential as Credential).id) as Credential
}

function masked(made: Answer): Answer {
  return Object.fromEntries(
    Object.entries(made).map(([name, value]) => [
      name,
      /(secret|token)$/.test(name) ? `<${name.toUpperCase()}>` : value,
    ]),
  )
}

export function actorOf({ kind, id }: Credential): Fields {
  return { type: kind, id }
}

function finish(model: Model, going: Going, context: Context, made: Answer, key: string): Expectation {
  const { asked, request } = going
  const { operation } = asked
  const credential = credentialIn(model, going.credential)
  const commit = model.commit(context.realm, actorOf(credential), { id: request, idempotency_key: key })
  if (commit !== null || context.audit.force) noteWrite(model, context, request)
  charge(model, credential, operation.credits)
  const events = commit?.ids ?? []
  logRequest(model, {
    asked,
    request,
    credential,
    status: 200,
    code: null,
    param: null,
    cost: operation.credits,
    replayOf: null,
    events,
  })
  return { ...nothing, status: 200, request, answer: made }
}

function noteWrite(model: Model, { asked, credential, realm, audit }: Context, request: Name): void {
  model.data.audit.push({
    action: asked.operation.id,
    mode: realm.mode,
    created: model.now,
    sequence: model.nextAudit(),
    id: model.name('aud'),
    fields: {
      credential: credential.id,
      request,
      room: audit.room,
      workspace: audit.workspace,
      reason: audit.reason,
      target: audit.target?.id ?? null,
    },
  })
}

export type { Realm }
