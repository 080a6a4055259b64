/** What every request goes through, in the order of decisions §2; the model's answer to it. */
import type { Asked, Expectation } from './asked.ts'
import { charge, fits, remainingOf } from './credits.ts'
import { aimed, aimsAt, contextOf, type Going, nothing, RefusedTo, refusal } from './going.ts'
import { checkFilters } from './lists.ts'
import { logRequest } from './logs.ts'
import type { Model } from './model.ts'
import type { Expected } from './names.ts'
import { Refused } from './refused.ts'
import type { Credential, Realm } from './state.ts'
import { hasTag, isExact, tags, textOf } from './tags.ts'
import { write } from './writes.ts'

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

export type { Realm }
