/** Valid calls of operations: their declared examples with real ids, completed by `special`. */
import type { ErrorCode } from '../api/declare/errors.ts'
import type { Operation } from '../api/declare/operation.ts'
import type { Scope } from '../api/declare/scopes.ts'
import { seconds, systemClock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'

/** A request that its operation answers with 200. */
export interface Call {
  readonly operation: Operation
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
}

/** The parts of a call that contain ids. */
export type Part = 'params' | 'query' | 'body'

/** Completes an example. `{name}` is replaced by the id of an object of the stock, `{name.field}` by one of its fields. */
interface Special {
  readonly params?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** An object that must exist although the call does not name it. */
  readonly needs?: string
  /** The field of an object that is the target of its audit entry, where neither call nor answer names it. */
  readonly audits?: { readonly thing: string; readonly field: string }
  /** Scopes that the call needs beside the operation's own. */
  readonly scopes?: readonly Scope[]
  /** The refusal of any other credential than the one that created the call's objects. */
  readonly boundBy?: ErrorCode
}

export const special: Readonly<Record<string, Special>> = {
  // A second rate with the same scope and target is a conflict.
  'billing_rates.create': {
    body: {
      ...{ workspace: '{workspace}', scope: 'project', target: '{other_project}' },
      ...{ currency: 'EUR', amount_minor: 9500 },
    },
  },
  // A second field with the same key is a conflict, and a workspace has a bounded number of them.
  'custom_fields.create': {
    body: { workspace: '{other_workspace}', key: 'effort', name: 'Effort', type: 'number' },
  },
  // Dependencies need two tasks of one project, a move needs another project.
  'tasks.create': {
    body: {
      ...{ workspace: '{workspace}', project: '{project}', column: '{column}', title: 'Try every rule' },
      ...{ labels: ['conformance'], custom_fields: { effort: 3 } },
    },
  },
  'tasks.move': { body: { project: '{other_project}', column: null } },
  'board_items.list': { params: { id: '{board_item.board}' } },
  'board_items.retrieve': { params: { id: '{board_item.board}', item_id: '{board_item}' } },
  'task_templates.instantiate': {
    params: { id: '{task_template}' },
    body: { workspace: '{task_template.workspace}' },
  },
  // The example sets `created`, which needs api:manage.
  'tasks.import': {
    body: { workspace: '{workspace}', source: 'jira', data: [{ external_id: 'OPS-8', title: 'Imported by the run' }] },
  },
  // Only the last 14 days can be recovered.
  'webhook_endpoints.recover': { body: { since: seconds(systemClock.now()) - 3600 } },
  'webhook_endpoints.create': { body: { url: '{receiver}', event_types: ['workflow.task.*'] } },
  // An event without a subscribed endpoint cannot be sent.
  'events.resend': { needs: 'webhook_endpoint' },
  'events.replay': { needs: 'webhook_endpoint' },
  // Without an entry there is nothing to mark. The audit log names the person whose inbox it is.
  'notifications.read_all': { needs: 'notification', audits: { thing: 'notification', field: 'user' } },
  'notifications.snooze': { body: { until: seconds(systemClock.now()) + 3600 } },
  // A new key holds a subset of its creator's scopes.
  'api_keys.create': { scopes: ['tasks:read'] },
  'api_keys.roll': { scopes: ['tasks:read'] },
  // Undoes what the sender itself has done.
  'undo.create': { boundBy: 'invalid_request_body' },
  // The scopes of the flow's steps.
  'automation_flows.activate': { scopes: ['tasks:read', 'comments:write'], boundBy: 'resource_conflict' },
  'automation_runs.rerun': { scopes: ['tasks:read'] },
  'automation_runs.steps': { scopes: ['tasks:read'] },
  'automation_runs.ai_calls': { scopes: ['tasks:read'] },
}

/** The names of the path's parameters, from left to right. */
export function pathParameters(operation: Operation): string[] {
  return [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string)
}

/** The path and query of a call. */
export function urlOf({ operation, params, query }: Omit<Call, 'body'>): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_all, name) => encodeURIComponent(params[name] as string))
  const search = new URLSearchParams(query).toString()
  return search === '' ? path : `${path}?${search}`
}

/** The call with another path parameter, query parameter or body field. */
export function changed(call: Call, part: Part, name: string, value: unknown): Call {
  return { ...call, [part]: { ...(call[part] as object | undefined), [name]: value } }
}

/** An unused id of the same kind. */
export function neverId(id: string): string {
  return newId(/^[a-z]{2,4}(?=_)/.exec(id)?.[0] ?? 'none', systemClock.now())
}
