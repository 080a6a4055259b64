/**
 * Valid calls of operations: what their declared examples say, with real ids. Where an example leaves something open that
 * depends on what is there already, `special` says it.
 */
import type { Operation } from '../api/operation.ts'
import { systemClock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'

/** A request that its operation answers with 200. */
export interface Call {
  readonly operation: Operation
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
}

/** What an operation's example does not say. Names in braces stand for things of the stock, `{name.field}` for a field of one. */
export interface Special {
  readonly params?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** A thing that has to be there, although the call does not name it. */
  readonly needs?: string
}

export const special: Readonly<Record<string, Special>> = {
  // A second rate for the same scope and target would be a conflict.
  'billing_rates.create': {
    body: {
      ...{ workspace: '{workspace}', scope: 'project', target: '{other_project}' },
      ...{ currency: 'EUR', amount_minor: 9500 },
    },
  },
  // Dependencies need two tasks of one project, and a move another one.
  'tasks.create': {
    body: {
      ...{ workspace: '{workspace}', project: '{project}', column: '{column}', title: 'Try every rule' },
      ...{ labels: ['conformance'], custom_fields: { effort: 3 } },
    },
  },
  'tasks.move': { body: { project: '{other_project}', column: null } },
  'board_items.retrieve': { params: { id: '{board_item.board}', item_id: '{board_item}' } },
  'task_templates.instantiate': {
    params: { id: '{task_template}' },
    body: { workspace: '{task_template.workspace}' },
  },
  'webhook_endpoints.create': { body: { url: '{receiver}', event_types: ['workflow.task.*'] } },
  // An event that no endpoint takes cannot be sent.
  'events.resend': { needs: 'webhook_endpoint' },
  'events.replay': { needs: 'webhook_endpoint' },
}

/** The names of the path's places, from left to right. */
export function placesOf(operation: Operation): string[] {
  return [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string)
}

/** The path and query of a call. */
export function urlOf({ operation, params, query }: Omit<Call, 'body'>): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_all, name) => encodeURIComponent(params[name] as string))
  const search = new URLSearchParams(query).toString()
  return search === '' ? path : `${path}?${search}`
}

/** The call with another path parameter, query parameter or body field. */
export function changed(call: Call, place: 'params' | 'query' | 'body', name: string, value: unknown): Call {
  return { ...call, [place]: { ...(call[place] as object | undefined), [name]: value } }
}

/** An id of the same kind that was never given, made as if it were given now. */
export function neverId(id: string): string {
  return newId(/^[a-z]{2,4}(?=_)/.exec(id)?.[0] ?? 'none', systemClock.now())
}
