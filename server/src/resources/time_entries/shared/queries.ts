/** References of a time entry, and running entries of a user (contract/15#time-entry-timer). */
import { actingUser, type Caller } from '../../../api/declare/caller.ts'
import { refuse } from '../../../api/declare/errors.ts'
import { findReference } from '../../../api/request/references.ts'
import { type Placeholder, query } from '../../../db/query.ts'
import type { TaskRow, TimeEntryRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { userNoun } from '../../members/member.ts'
import { projectNoun } from '../../projects/project.ts'
import { taskNoun } from '../../tasks/task.ts'

interface From {
  readonly tx: Reader
  readonly caller: Caller
}

/** The task of a body, by id or key. Refuses one of another workspace and one of an archived project. */
export async function requireUsableTask(from: From, id: string, workspace: string): Promise<TaskRow> {
  const task = await findReference(taskNoun, from, id, 'task', workspace)
  if (task.is_archived === 1) throw archived('task')
  return task
}

/** The user of an entry: an active member or the service user. Default: the acting user. */
export async function requireUsableUser(from: From, id: string | null | undefined): Promise<string> {
  const acting = actingUser(from.caller)
  if (id === null || id === undefined || id === acting) return acting
  if (id === from.caller.serviceUser) return id
  const member = await findReference(userNoun, from, id, 'user')
  if (member.status !== 'active') {
    throw refuse('invalid_request_body', { param: 'user', message: `user "${id}" names a member who is not active.` })
  }
  return member.user
}

/** Refuses a write if the project of the entry or of its task is archived. Deleted tasks and projects do not count. */
export async function requireUnarchived({ tx, caller }: From, entry: TimeEntryRow): Promise<void> {
  const task = entry.task === null ? undefined : await taskNoun.find(tx, caller, entry.task)
  if (task?.is_archived === 1 && task.deleted_at === null) throw archived()
  const project = entry.project === null ? undefined : await projectNoun.find(tx, caller, entry.project)
  if (project?.deleted_at === null && project.archived_at !== null) throw archived()
}

function archived(param?: string): Error {
  return refuse('resource_conflict', {
    message: 'The project of this time entry is archived.',
    ...(param === undefined ? {} : { param }),
  })
}

const findRunning = query((db, p: Placeholder<{ realm: number; user: string }>) =>
  db
    .selectFrom('time_entries')
    .select('id')
    .where('realm', '=', p('realm'))
    .where('user', '=', p('user') as string)
    .where('status', '=', 'running')
    .where('deleted_at', 'is', null),
)

/** Refuses a second running entry of a user; the first one is not stopped. */
export async function requireNoneRunning(reader: Reader, realm: number, user: string): Promise<void> {
  const running = await reader.first(findRunning, { realm, user })
  if (running === undefined) return
  throw refuse('resource_conflict', {
    param: 'user',
    message: `This user already has a running time entry: ${running.id}.`,
  })
}

const runningOnTask = (ofUser: boolean) =>
  query<TimeEntryRow, { realm: number; task: string; user?: string }>((db, p) => {
    const found = db
      .selectFrom('time_entries')
      .selectAll()
      .where('realm', '=', p('realm'))
      .where('task', '=', p('task'))
      .where('status', '=', 'running')
      .where('deleted_at', 'is', null)
      .orderBy('id')
      .limit(1)
    return ofUser ? found.where('user', '=', p('user') as string) : found
  })
const runningOfUser = runningOnTask(true)
const runningOfAnyone = runningOnTask(false)

/** The running entry of a user on a task; without a user the oldest one. */
export async function runningEntryOf(reader: Reader, task: TaskRow, user?: string): Promise<TimeEntryRow | undefined> {
  const { realm, id } = task
  return await (user === undefined
    ? reader.first(runningOfAnyone, { realm, task: id })
    : reader.first(runningOfUser, { realm, task: id, user }))
}
