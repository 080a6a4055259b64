/**
 * The time entry: time worked by a user, with or without a task. running → stopped, never back (contract/14#time-entry).
 * Invariant: `duration_ms` of a stopped entry is `ended_at - started_at` plus the offset that it was started with.
 */
import Type, { type Static } from 'typebox'
import { noun } from '../../api/declare/noun.ts'
import {
  Amount,
  described,
  Flag,
  head,
  Id,
  Moment,
  Note,
  Nullable,
  OneOf,
  Revision,
  Seconds,
} from '../../api/declare/shapes.ts'
import type { TimeEntryRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

export const TimeEntry = Type.Object({
  ...head('time_entry'),
  workspace: described(Id, 'Workspace of the entry.'),
  task: described(Nullable(Id), 'Task that was worked on; null for none.'),
  project: described(Nullable(Id), 'Project that was worked on; null for none. The project of the task by default.'),
  user: described(Id, 'User id of the person who worked. The user of the credential by default.'),
  started_at: described(Seconds, 'When the work started, in Unix seconds.'),
  ended_at: described(Nullable(Seconds), 'When the work ended, in Unix seconds; null while running.'),
  duration_ms: described(
    Nullable(Amount),
    'Duration in milliseconds; null while running. On start: time already worked.',
  ),
  status: described(OneOf('running', 'stopped'), 'A running entry ends with `stop`; a stopped one never runs again.'),
  note: described(Nullable(Note), 'What was done; null if unset.'),
  billable: described(Flag, 'Whether the time is billed; false by default.'),
  source: described(OneOf('timer', 'manual'), 'Whether a timer measured the entry or it was entered.'),
  revision: Revision,
})

export type TimeEntry = Static<typeof TimeEntry>

/** The fields besides task and times that requests may set. */
export const entryFields = {
  project: Type.Optional(Nullable(Id)),
  user: Type.Optional(Nullable(Id)),
  note: Type.Optional(Nullable(Note)),
  billable: Type.Optional(Flag),
}

/** The three times; any two determine the third. */
export const timeFields = {
  started_at: Type.Optional(Nullable(Moment)),
  ended_at: Type.Optional(Nullable(Moment)),
  duration_ms: Type.Optional(Amount),
}

export function showTimeEntry(row: TimeEntryRow): TimeEntry {
  return {
    id: row.id,
    object: 'time_entry',
    created: seconds(row.created),
    updated: seconds(row.updated),
    workspace: row.workspace,
    task: row.task,
    project: row.project,
    user: row.user,
    started_at: seconds(row.started_at),
    ended_at: row.ended_at === null ? null : seconds(row.ended_at),
    duration_ms: row.duration_ms,
    status: row.status as TimeEntry['status'],
    note: row.note,
    billable: row.billable === 1,
    source: row.source as TimeEntry['source'],
    revision: row.revision,
  }
}

export const timeEntryNoun = noun({
  object: 'time_entry',
  prefix: 'tme',
  table: 'time_entries',
  schema: TimeEntry,
  readScope: 'time_entries:read',
  show: showTimeEntry,
})
