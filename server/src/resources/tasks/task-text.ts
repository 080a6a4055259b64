/**
 * A task as JSON without the objects between, for lists of tasks are what is read most: straight from its row, or by SQLite
 * itself. Labels and custom fields are stored as `JSON.stringify` spells them, and ids, keys and words hold nothing that
 * JSON escapes.
 */
import { type RawBuilder, sql } from 'kysely'
import { seconds } from '../../lib/clock.ts'
import type { PlacedRow } from './asked.ts'
import type { ShownTaskRow } from './task.ts'

/** Exactly `JSON.stringify(showTask(row))`. */
export function taskText(row: ShownTaskRow): string {
  return (
    `{"id":"${row.id}","object":"task","created":${seconds(row.created)},"updated":${seconds(row.updated)},` +
    `"workspace":"${row.workspace}","number":${row.number},"key":"${row.key}","project":${quoted(row.project)},` +
    `"column":${quoted(row.column)},"title":${JSON.stringify(row.title)},"description":${JSON.stringify(row.description)},` +
    `"status":"${row.status}","priority":"${row.priority}","assignee":${quoted(row.assignee)},` +
    `"creator":{"type":"${row.creator_type}","id":"${row.creator_id}"},"due_at":${shownTime(row.due_at)},` +
    `"completed_at":${shownTime(row.completed_at)},"is_archived":${row.is_archived === 1},"labels":${row.labels},` +
    `"custom_fields":${row.custom_fields},"position":${JSON.stringify(row.position)},"template":${quoted(row.template)},` +
    `"revision":${row.revision}}`
  )
}

function quoted(id: string | null): string {
  return id === null ? 'null' : `"${id}"`
}

function shownTime(ms: number | null): string {
  return ms === null ? 'null' : String(seconds(ms))
}

/** A task that SQLite has spelt but for its position, which it would write with fewer digits. */
export interface TaskTextRow extends PlacedRow {
  readonly head: string
  readonly tail: string
}

/** Exactly `taskText` of the row that it was made from. */
export function joinedText({ head, position, tail }: TaskTextRow): string {
  return head + JSON.stringify(position) + tail
}

/** For SQLite only. `json_quote` escapes what `JSON.stringify` does, and no time is before 1970. */
export const textColumns: RawBuilder<unknown> = sql.raw(`
  concat('{"id":"', tasks.id, '","object":"task","created":', tasks.created / 1000, ',"updated":', tasks.updated / 1000,
    ',"workspace":"', tasks.workspace, '","number":', tasks.number, ',"key":"', tasks.key,
    '","project":', ${quotedSql('project')}, ',"column":', ${quotedSql('"column"')},
    ',"title":', json_quote(tasks.title), ',"description":', json_quote(tasks.description),
    ',"status":"', tasks.status, '","priority":"', tasks.priority, '","assignee":', ${quotedSql('assignee')},
    ',"creator":{"type":"', tasks.creator_type, '","id":"', tasks.creator_id, '"},"due_at":', ${timeSql('due_at')},
    ',"completed_at":', ${timeSql('completed_at')}, ',"is_archived":', iif(tasks.is_archived = 1, 'true', 'false'),
    ',"labels":', tasks.labels, ',"custom_fields":', tasks.custom_fields, ',"position":') as head,
  tasks.position,
  concat(',"template":', ${quotedSql('template')}, ',"revision":', tasks.revision, '}') as tail`)

function quotedSql(column: string): string {
  return `ifnull('"' || tasks.${column} || '"', 'null')`
}

function timeSql(column: string): string {
  return `ifnull(tasks.${column} / 1000, 'null')`
}
