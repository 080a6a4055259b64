/** A request in progress: its credential, its target, and the answer if it is refused. */

import { charge, remainingOf } from './credits.ts'
import { checkQuery, isRehearsal } from './input.ts'
import { logRequest } from './logs.ts'
import type { Model } from './model.ts'
import type { Expectation, ModelRequest } from './model-request.ts'
import type { Name } from './names.ts'
import type { Context, OperationModel } from './operation.ts'
import { type Code, notFound, Refused } from './refused.ts'
import type { Credential, Thing } from './state.ts'

export interface RequestInProgress {
  readonly incoming: ModelRequest
  readonly request: Name
  /** `null`: not authenticated. */
  readonly credential: Credential | null
}

/** A refusal after authentication. */
export class RefusedAfterAuthentication extends Refused {
  readonly credential: Credential
  constructor(code: Code, to: Credential) {
    super(code, null)
    this.credential = to
  }
}

export const nothing = {
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

/** Codes refused before the request is counted, although it is authenticated. */
const uncounted: ReadonlySet<Code> = new Set([
  'plan_required',
  'endpoint_disabled',
  'rate_limit_unavailable',
  'internal_error',
])

export function refusal(
  model: Model,
  { incoming, request, credential }: RequestInProgress,
  error: unknown,
  replayOf: Name | null = null,
): Expectation {
  if (!(error instanceof Refused)) throw error
  const { status, code, param } = error
  const isCounted =
    credential !== null && !uncounted.has(code) && !(error instanceof RefusedAfterAuthentication && status === 403)
  const cost = uncharged.has(status) || replayOf !== null ? 0 : 1
  if (credential !== null && isCounted) charge(model, credential, cost)
  const isDryRun = isRehearsal(incoming)
  if (credential !== null) {
    logRequest(model, {
      incoming,
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

/** The context of a request for its operation. */
export function contextOf(model: Model, { incoming, credential }: RequestInProgress): Context {
  const { operation, params } = incoming
  const realm = model.realm((credential as Credential).mode)
  const { query, many } = checkQuery(operation, incoming)
  const unset = undefined as unknown as Thing
  return {
    model,
    realm,
    credential: credential as Credential,
    incoming,
    now: model.now,
    params,
    query,
    many,
    body: {},
    target: unset,
    parent: unset,
    audit: { target: null, room: null, workspace: null, reason: null, force: false },
  }
}

/** Adds the objects that the path names, the parent first. */
export function aimed(context: Context, workspace: unknown): Context {
  const { model, realm, incoming } = context
  const { operation, params } = incoming
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

/** Creations refer to a workspace; other writes only repeat the workspace of their target. */
export const aimsAt = (operation: OperationModel, workspace: unknown): unknown =>
  operation.target === undefined && operation.parent === undefined ? undefined : workspace
