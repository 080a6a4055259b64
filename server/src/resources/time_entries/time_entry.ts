/**
 * The time entry: time worked by a user, on a task or on none. running → stopped, never back (decisions §14, §15).
 * Invariant: of a stopped entry `ended_at - started_at` is `duration_ms` less the offset it was started with.
 */
import Type, { type Static } from 'typebox'
import { noun } from '../../api/noun.ts'
import { Amount, Flag, head, Id, Moment, Note, Nullable, OneOf, Revision, Seconds } from '../../api/shapes.ts'
import type { TimeEntryRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

export const TimeEntry = Type.Object({
  ...head('time_entry'),
  workspace: Id,
  task: Nullable(Id),
  project: Nullable(Id),
  user: Id,
  started_at: Seconds,
  ended_at: Nullable(Seconds),
  duration_ms: Nullable(Amount),
  status: OneOf('running', 'stopped'),
  note: Nullable(Note),
  billable: Flag,
  source: OneOf('timer', 'manual'),
  revision: Revision,
})

export type TimeEntry = Static<typeof TimeEntry>

/** What a request may set besides the task and the times. */
export const entryFields = {
  project: Type.Optional(Nullable(Id)),
  user: Type.Optional(Nullable(Id)),
  note: Type.Optional(Nullable(Note)),
  billable: Type.Optional(Flag),
}

/** The three times, of which two give the third. */
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
