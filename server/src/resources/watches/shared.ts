/** Shows and changes how the caller stands to a task or a project. */
import { actingUser, type Caller } from '../../api/declare/caller.ts'
import type { AuditNote } from '../../api/declare/operation.ts'
import type { ProjectRow, TaskRow } from '../../db/schema.ts'
import type { Reader, Tx } from '../../db/store.ts'
import { inbox_limits } from '../../notifications/limits.ts'
import {
  type WatchLevel,
  type WatchReason,
  watchByHand,
  watchersOfProject,
  watchingOf,
} from '../../notifications/watching.ts'
import type { Watch } from './watch.ts'

export async function showTaskWatch(reader: Reader, caller: Caller, row: TaskRow): Promise<Watch> {
  const user = actingUser(caller)
  const creator = { type: row.creator_type, id: row.creator_id }
  const task = { id: row.id, project: row.project, assignee: row.assignee, creator }
  const watching = await watchingOf(reader, caller.realm, task, null)
  return shown({ object: 'task', id: row.id }, user, watching.standing(user), watching.watchers())
}

export async function showProjectWatch(reader: Reader, caller: Caller, { id }: ProjectRow): Promise<Watch> {
  const user = actingUser(caller)
  const rows = await watchersOfProject(reader, caller.realm, id)
  const watchers = [...rows.values()].filter(({ level }) => level === 'watching').map((row) => row.user)
  const level = (rows.get(user)?.level ?? 'none') as WatchLevel
  return shown({ object: 'project', id }, user, { level, reason: rows.has(user) ? 'hand' : null }, watchers.sort())
}

function shown(
  subject: Watch['subject'],
  user: string,
  { level, reason }: { readonly level: WatchLevel; readonly reason: WatchReason | null },
  watchers: string[],
): Watch {
  const listed = watchers.slice(0, inbox_limits.inbox_watchers_listed_max)
  return { object: 'watch', subject, user, level, reason, watchers: listed, watcher_count: watchers.length }
}

interface Watching {
  readonly tx: Tx
  readonly caller: Caller
  note(note: AuditNote): void
}

/** Stores the level from the next event on. What holds already changes nothing; else there is an audit entry and no event. */
export async function setWatch(
  { tx, caller, note }: Watching,
  subject: { readonly object: string; readonly id: string; readonly workspace: string },
  level: WatchLevel,
): Promise<void> {
  const heads = await tx.heads(caller.organization)
  const since = heads.events.get(caller.realm) ?? 0
  const who = { realm: caller.realm, subject: subject.id, user: actingUser(caller), level }
  if (await watchByHand(tx, who, since)) note({ target: subject, unannounced: true })
}
