/** What there is in an organization by its kind, and what requests cannot change. */
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
  /** Entries of the audit from before the model begins, and when that was. */
  readonly earlierAudit: { readonly live: number; readonly test: number }
  readonly began: number
  /** Where webhooks are received, by what comes of it. */
  readonly receivers: Readonly<Record<'good' | 'bad' | 'gone', string>>
}

/** There is nothing of this kind yet. */
export class Needed extends Error {
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

/** Whether a thing is of another workspace than the named one, if one is named. */
export function isElsewhere({ shown }: Thing, workspace: unknown): boolean {
  return workspace !== undefined && 'workspace' in shown && shown.workspace !== workspace
}

/** A text as it is kept: an empty one is none (decisions §14). */
export function kept(value: Json | undefined): Json {
  return value === undefined || value === '' ? null : value
}
