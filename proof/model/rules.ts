/** The checks of every request in the contract's order, and the model's answer. */

import { charge, countBeyond, fits, remainingOf } from './credits.ts'
import { checkFilters } from './lists.ts'
import { logRequest, showUsage } from './logs.ts'
import type { Model } from './model.ts'
import type { Expectation, ModelRequest } from './model-request.ts'
import type { Expected, Name } from './names.ts'
import { Refused } from './refused.ts'
import {
  aimed,
  aimsAt,
  contextOf,
  nothing,
  RefusedAfterAuthentication,
  type RequestInProgress,
  refusal,
} from './request-in-progress.ts'
import type { Credential } from './state.ts'
import { hasTag, isExact, tags, textOf } from './tags.ts'
import { keptAnswer, replay, write } from './writes.ts'

/** The answer that the contract promises. The model then has the request's effect. */
export function answer(model: Model, incoming: ModelRequest, incident: Incident = 'none'): Expectation {
  const request = model.name('req')
  const { operation } = incoming
  let credential: Credential
  try {
    credential = admit(model, incoming, incident)
  } catch (error) {
    const beyond = answerBeyondCredits(model, incoming, request, error)
    if (beyond !== null) return beyond
    return refusal(model, { incoming, request, credential: admitted(error) }, error)
  }
  model.discardEvents()
  const current: RequestInProgress = { incoming, request, credential }
  try {
    const made = operation.method === 'GET' ? expectedOfRead(model, current) : write(model, current)
    return { ...made, remaining: remainingOf(model, credential) }
  } catch (error) {
    model.discardEvents()
    return refusal(model, current, error)
  }
}

/**
 * Answers usage, replays and, while credits remain, a 304; null if the refusal stands (contract/04#beyond-the-credits).
 */
function answerBeyondCredits(model: Model, incoming: ModelRequest, request: Name, error: unknown): Expectation | null {
  if (!(error instanceof RefusedAfterAuthentication) || error.code !== 'rate_limit_exceeded') return null
  const { credential } = error
  const { operation } = incoming
  const current: RequestInProgress = { incoming, request, credential }
  const log = (status: number) =>
    logRequest(model, {
      incoming,
      request,
      credential,
      status,
      code: null,
      param: null,
      cost: 0,
      replayOf: null,
      events: [],
    })
  const remaining = remainingOf(model, credential)
  try {
    if (operation.method !== 'GET') {
      const kept = keptAnswer(model, current)
      if (kept === null || !countBeyond(model, credential, 'beyond')) return null
      return { ...replay(model, current, kept), remaining }
    }
    if (operation.id === 'usage.retrieve') {
      if (!countBeyond(model, credential, 'beyond')) return null
      if (hasTag(model, incoming, showUsage(model, credential, 0))) {
        log(304)
        return { ...nothing, status: 304, request, remaining }
      }
      log(200)
      const tag = model.name('etag')
      return { ...nothing, status: 200, request, answer: showUsage(model, credential, 0), tag, remaining }
    }
    if (incoming.headers['if-none-match'] === undefined || !fits(model, credential, 1)) return null
    const context = contextOf(model, current)
    checkFilters(context)
    const found = operation.run(aimed(context, aimsAt(operation, context.query.workspace)))
    if (found.frames === undefined && hasTag(model, incoming, found)) {
      log(304)
      return { ...nothing, status: 304, request, remaining }
    }
    if (found.frames === undefined) countBeyond(model, credential, 'unmatched')
    return null
  } catch (failure) {
    if (failure instanceof Refused) return null
    throw failure
  }
}

const admitted = (error: unknown): Credential | null =>
  error instanceof RefusedAfterAuthentication ? error.credential : null

/** What fails while a request is answered: the store, the credit account, or an unexpected error. */
export type Incident = 'none' | 'no store' | 'no account' | 'a fault'

function admit(model: Model, { operation, presented, inUrl }: ModelRequest, incident: Incident): Credential {
  const { secret, is } = presented
  if (inUrl) throw new Refused('invalid_api_key', null)
  if (secret === null) throw new Refused('missing_api_key', null)
  if (incident === 'no store' && is !== null) throw new Refused('credential_validation_unavailable', null)
  const isToken = is === null ? secret.startsWith('atr_at_') : is.kind === 'access_token'
  if (is === null || is.isGone || (is.expires !== null && is.expires <= model.now)) {
    throw new Refused(isToken ? 'invalid_access_token' : 'invalid_api_key', null)
  }
  if (model.data.disabled.includes(operation.id)) throw new RefusedAfterAuthentication('endpoint_disabled', is)
  if (model.data.plan === null) throw new RefusedAfterAuthentication('plan_required', is)
  if (operation.scope !== null && !is.scopes.includes(operation.scope))
    throw new RefusedAfterAuthentication('insufficient_scope', is)
  if (incident === 'no account') throw new RefusedAfterAuthentication('rate_limit_unavailable', is)
  if (incident === 'a fault') throw new RefusedAfterAuthentication('internal_error', is)
  if (!fits(model, is, operation.credits)) throw new RefusedAfterAuthentication('rate_limit_exceeded', is)
  return is
}

function expectedOfRead(model: Model, current: RequestInProgress): Expectation {
  const { incoming, request, credential } = current
  const { operation } = incoming
  const context = contextOf(model, current)
  checkFilters(context)
  const found = operation.run(aimed(context, aimsAt(operation, context.query.workspace)))
  const frames = (found.frames as Expected[] | undefined) ?? null
  const tag = model.name('etag')
  const isSame = frames === null && hasTag(model, incoming, found)
  const cost = isSame ? 0 : operation.credits
  charge(model, credential as Credential, cost)
  const status = isSame ? 304 : 200
  logRequest(model, {
    incoming,
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
  if (frames === null && isExact(found)) tags(model).set(tag, textOf(incoming, found))
  return { ...nothing, status, request, answer: found, revision, tag, frames }
}
