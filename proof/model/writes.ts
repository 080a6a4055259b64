/** Writes: their keys, their transaction, their dry runs. */

import { charge } from './credits.ts'
import { bodyOf, checkBodyForm, isRehearsal, readKey, readMatch } from './input.ts'
import { logRequest } from './logs.ts'
import type { Model } from './model.ts'
import type { Expectation, ModelRequest } from './model-request.ts'
import { Any, type Fields, type Name, unknown_value } from './names.ts'
import type { Answer, Context } from './operation.ts'
import { conflict, isKept, Refused } from './refused.ts'
import { aimed, aimsAt, contextOf, nothing, type RequestInProgress, refusal } from './request-in-progress.ts'
import type { Credential, Kept } from './state.ts'

const day = 86_400

export function write(model: Model, current: RequestInProgress): Expectation {
  const { incoming, credential } = current
  const { operation } = incoming
  const key = readKey(incoming)
  checkBodyForm(incoming)
  const context = contextOf(model, current)
  const { body, faults } = bodyOf(operation, incoming)
  const match = readMatch(operation, incoming, faults)
  operation.check?.(body)
  const workspace = oneWorkspace(context.query.workspace, body.workspace)
  const print = printOf(incoming)
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
  if (isRehearsal(incoming)) return rehearse(model, current, carry, earlier)
  if (earlier !== null) return replay(model, current, earlier)
  try {
    const { made, context: done } = carry()
    context.realm.kept[name] = { print, created: model.now, request: current.request, status: 200, code: null }
    return finish(model, current, done, made, key)
  } catch (error) {
    if (error instanceof Refused && isKept(error.code)) {
      const { status, code } = error
      context.realm.kept[name] = { print, created: model.now, request: current.request, status, code }
    }
    throw error
  }
}

/** The stored answer that a write would replay although the credits are used up; null without one. */
export function keptAnswer(model: Model, current: RequestInProgress): Kept | null {
  const { incoming, credential } = current
  if (isRehearsal(incoming)) return null
  const key = readKey(incoming)
  checkBodyForm(incoming)
  const context = contextOf(model, current)
  const { body, faults } = bodyOf(incoming.operation, incoming)
  readMatch(incoming.operation, incoming, faults)
  incoming.operation.check?.(body)
  oneWorkspace(context.query.workspace, body.workspace)
  const known = context.realm.kept[`${(credential as Credential).id} ${key}`]
  return known !== undefined && known.created + day > model.now && known.print === printOf(incoming) ? known : null
}

function oneWorkspace(inQuery: unknown, inBody: unknown): unknown {
  if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody)
    throw new Refused('invalid_request_body', 'workspace')
  return inQuery ?? inBody
}

/** What makes a write a different one under the same key. */
function printOf({ operation, params, query, body, headers }: ModelRequest): string {
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

export function replay(model: Model, current: RequestInProgress, earlier: Kept): Expectation {
  const { incoming, request, credential } = current
  const { status, code, request: replayOf } = earlier
  if (code !== null) return refusal(model, current, new Refused(code), replayOf)
  logRequest(model, {
    incoming,
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
 * The answers to a write sent twice concurrently: the second finds the first in progress or done. Which, and so the cost, is
 * random; the next day begins with equal windows.
 */
export function answerTwin(
  model: Model,
  incoming: ModelRequest,
  first: Expectation,
): { late: Expectation; replayed: Expectation } {
  const request = model.name('req')
  const credential = model.credential(incoming.presented.is?.id ?? '') as Credential
  const noted = {
    incoming,
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
  const logged = model.data.requests.at(-1) as { fields: Fields }
  for (const name of ['status', 'error_code', 'charged', 'idempotency_replayed', 'original_request'])
    logged.fields[name] = unknown_value
  const one = { ...nothing, request, remaining: 'unknown' } as const
  return {
    late: { ...one, status: 409, code: 'idempotency_in_progress' },
    replayed: { ...one, status: first.status, code: first.code, param: first.param, replayOf: first.request },
  }
}

/** A dry run: what the write would do, in its envelope; the data is restored. */
function rehearse(
  model: Model,
  current: RequestInProgress,
  carry: () => { made: Answer; context: Context },
  earlier: Kept | null,
): Expectation {
  const { incoming, request, credential } = current
  const { operation } = incoming
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
      incoming,
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

/** Restored data contains a new copy of the credential. */
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

function actorOf({ kind, id }: Credential): Fields {
  return { type: kind, id }
}

function finish(model: Model, current: RequestInProgress, context: Context, made: Answer, key: string): Expectation {
  const { incoming, request } = current
  const { operation } = incoming
  const credential = credentialIn(model, current.credential)
  const commit = model.commit(context.realm, actorOf(credential), { id: request, idempotency_key: key })
  if (commit !== null || context.audit.force) noteWrite(model, context, request)
  charge(model, credential, operation.credits)
  const events = commit?.ids ?? []
  logRequest(model, {
    incoming,
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

function noteWrite(model: Model, { incoming, credential, realm, audit }: Context, request: Name): void {
  model.data.audit.push({
    action: incoming.operation.id,
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
