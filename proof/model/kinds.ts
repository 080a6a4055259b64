/** The kinds of objects in an organization, and what requests cannot change. */
import type { Fields, Json, Name } from './names.ts'
import type { Kind, Thing } from './state.ts'

/** What requests cannot change. */
export interface Setting {
  readonly organization: Fields
  readonly serviceUser: Name
  readonly members: readonly Fields[]
  readonly teams: readonly Fields[]
  /** Ids of another organization, by kind. */
  readonly foreign: Readonly<Record<string, readonly string[]>>
  readonly limits: { readonly minute: number | null; readonly day: number | null; readonly plan_day: number | null }
  /** Audit entries from before the model begins, and their time. */
  readonly earlierAudit: { readonly live: number; readonly test: number }
  readonly began: number
  /** URLs of webhook receivers, by what they do. */
  readonly receivers: Readonly<Record<'good' | 'bad' | 'gone', string>>
}

/** No object of this kind exists yet. */
export class MissingKind extends Error {
  readonly kind: Kind
  constructor(kind: Kind) {
    super(kind)
    this.kind = kind
  }
}

export const prefixes: Readonly<Record<Kind, string>> = {
  api_key: 'key',
  workspace: 'wsp',
  project: 'prj',
  portfolio: 'pfl',
  column: 'col',
  task: 'tsk',
  comment: 'cmt',
  dependency: 'dep',
  time_entry: 'tme',
  saved_filter: 'flt',
  task_template: 'tpl',
  expense: 'exp',
  billing_rate: 'rate',
  invoice_draft: 'inv',
  export_job: 'job',
  board: 'brd',
  board_item: 'itm',
  board_member: 'bmb',
  automation_flow: 'flow',
  automation_run: 'run',
  webhook_endpoint: 'whe',
  event: 'evt',
  user: 'usr',
  organization: 'org',
  request_log: 'req',
}

/** Whether a workspace is named and the thing belongs to another one. */
export function isElsewhere({ shown }: Thing, workspace: unknown): boolean {
  return workspace !== undefined && 'workspace' in shown && shown.workspace !== workspace
}

/** A text as stored: an empty text becomes null. */
export function stored(value: Json | undefined): Json {
  return value === undefined || value === '' ? null : value
}
