/** The event log, the audit log and the request log, and what the platform says about the caller. */

import { remainingOf, spans, windowOf } from './credits.ts'
import type { Model } from './model.ts'
import type { ModelRequest } from './model-request.ts'
import { anyCount, anyText, anything, type Expected, type Fields, maybeTime, type Name, OneOf } from './names.ts'
import type { Context } from './operation.ts'
import type { Code, Param } from './refused.ts'
import type { Commit, Credential, LoggedRequest, Realm } from './state.ts'

export interface Noted {
  readonly incoming: ModelRequest
  readonly request: Name
  readonly credential: Credential
  readonly status: number
  readonly code: Code | null
  readonly param: Param
  readonly cost: number
  readonly replayOf: Name | null
  readonly events: readonly Name[]
}

export function logRequest(model: Model, noted: Noted): void {
  const { incoming, request, credential, status, code, param, cost, replayOf, events } = noted
  const { operation, params, query, headers } = incoming
  model.data.requests.push({
    id: request,
    mode: credential.mode,
    created: model.now,
    fields: {
      method: operation.method,
      route: operation.path,
      path: operation.path.replaceAll(/\{(\w+)\}/g, (_all, name) => encodeURIComponent(params[name] as string)),
      query_parameters: query.map(([name]) => name),
      operation: operation.id,
      status,
      error_code: code,
      error_param: param === undefined || Array.isArray(param) ? '?' : (param as string | null),
      credential: credential.id,
      owner: { ...credential.owner },
      cost: operation.credits,
      charged: cost,
      dry_run: operation.method !== 'GET' && headers.prefer !== undefined && headers.prefer !== 'dry-run=false',
      idempotency_replayed: replayOf !== null,
      original_request: replayOf,
      events: [...events],
    },
  })
}

/** An entry as `GET /v1/request_logs/{id}` shows it. */
export function showRequest({ id, created, mode, fields }: LoggedRequest): { readonly [name: string]: Expected } {
  const { method, route, path, query_parameters, operation, status, error_code, error_param, credential, owner } =
    fields as Fields
  const { cost, charged, dry_run, idempotency_replayed, original_request, events } = fields as Fields
  const isRead = error_code === null || (query_parameters as string[]).length === 0
  return {
    id,
    object: 'request_log',
    created,
    method: method as string,
    route: route as string,
    path: path as string,
    query_parameters: isRead ? [...new Set(query_parameters as string[])] : anything,
    operation: operation as string,
    status: status as number,
    error_code: error_code as string | null,
    error_param: error_param === '?' ? anything : (error_param as string | null),
    credential: credential as string,
    owner: owner as Fields as { readonly [name: string]: Expected },
    mode,
    api_version: '2026-08-03',
    cost: cost as number,
    charged: charged as number,
    duration_ms: anyCount,
    dry_run: dry_run as boolean,
    idempotency_replayed: idempotency_replayed as boolean,
    original_request: original_request as string | null,
    ip: anyText,
    user_agent: anything,
    request_bytes: anyCount,
    response_bytes: anyCount,
    events: events as string[],
    expires_at: created + 7 * 86_400,
  }
}

/** `cost`: what the request itself costs. */
export function showUsage(model: Model, credential: Credential, cost = 1): { readonly [name: string]: Expected } {
  const remaining = remainingOf(model, credential)
  const show = (span: keyof typeof spans) => {
    const { used, begins } = windowOf(model, credential, span)
    const left = remaining[span]
    return {
      limit: model.setting.limits[span],
      used: used + cost,
      remaining: left === null ? null : left - cost,
      resets_at: begins + spans[span],
    }
  }
  return {
    object: 'usage',
    credential: credential.id,
    plan: model.data.plan as string,
    mode: credential.mode,
    minute: show('minute'),
    day: show('day'),
    plan_day: show('plan_day'),
  }
}

/** The events of a commit, each in any position. */
function eventsOf(model: Model, realm: Realm, commit: Commit): { id: Name; shown: Expected }[] {
  const { events, ids, id, sequence, created, actor, request } = commit
  const at = (i: number) =>
    events.map(({ type, object, previous, workspace }) => ({
      id: ids[i] as string,
      object: 'event',
      type,
      created,
      sequence: sequence + i,
      api_version: '2026-08-03',
      livemode: realm.mode === 'live',
      organization: model.setting.organization.id as string,
      workspace,
      actor: actor as { readonly [name: string]: Expected },
      request: request as { readonly [name: string]: Expected } | null,
      commit: { id, index: i, size: events.length },
      data: { object: softened(object), previous_attributes: previous },
    }))
  return events.map((_event, i) => ({ id: ids[i] as string, shown: new OneOf(commit, at(i)) }))
}

/** Without fields that only the use of a key changes. */
function softened(object: Fields): { readonly [name: string]: Expected } {
  const shown = object as { readonly [name: string]: Expected }
  return object.object === 'api_key' ? { ...shown, last_used_at: maybeTime } : shown
}

/** The whole log, newest first. Events from before the model begins are unknown. */
export function eventLog(model: Model, realm: Realm): { id: Name; shown: Expected }[] {
  const known = realm.commits.flatMap((commit) => eventsOf(model, realm, commit)).reverse()
  return [...known, ...Array.from({ length: realm.earlier }, (_, i) => ({ id: `early ${i}`, shown: anything }))]
}

export function auditLog({ model, realm }: Context): { id: Name; shown: { readonly [name: string]: Expected } }[] {
  const entries = model.data.audit.filter(({ mode }) => mode === realm.mode).reverse()
  return entries.map(({ id, action, mode, created, sequence, fields }) => ({
    id,
    shown: {
      id,
      object: 'audit_entry',
      created,
      sequence,
      mode,
      action,
      actor: anything,
      credential: fields.credential as string | null,
      target: fields.target === null ? anything : { object: anyText, id: fields.target as string },
      room: fields.room as string | null,
      workspace: fields.workspace as string | null,
      request: fields.request as string | null,
      changed_fields: anything,
      reason: fields.reason as string | null,
      source: anything,
      previous_hash: anything,
      hash: anyText,
    },
  }))
}
