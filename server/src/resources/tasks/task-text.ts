/** A task as JSON, straight from its row: lists of tasks are what is read most. */
import { seconds } from '../../lib/clock.ts'
import type { ShownTaskRow } from './task.ts'

/**
 * Exactly `JSON.stringify(showTask(row))`, without making the objects between: labels and custom fields are stored as
 * `JSON.stringify` spells them, and ids, keys and words hold nothing that JSON escapes.
 */
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
