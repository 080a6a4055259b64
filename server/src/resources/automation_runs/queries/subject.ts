/**
 * The run's task as expressions see it: as the API shows it, plus `blocks` and `blocked_by` from dependencies of the
 * kinds blocks and precedes, and the `teams` that its assignee is in now. Each related task counts its own open blockers. They are read only for programs that use
 * them (contract/16#variables).
 */
import { sql } from 'kysely'
import { limits } from '../../../api/limits.ts'
import { automation_limits } from '../../../automations/limits.ts'
import type { Program } from '../../../automations/program.ts'
import { query, rawQuery } from '../../../db/query.ts'
import type { TaskRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { seconds } from '../../../lib/clock.ts'
import { showTask, type Task } from '../../tasks/task.ts'

const liveTask = query<TaskRow, { realm: number; id: string }>((db, p) =>
  db
    .selectFrom('tasks')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id'))
    .where('deleted_at', 'is', null),
)

interface RelatedRow {
  readonly id: string
  readonly key: string
  readonly title: string
  readonly status: string
  readonly priority: string
  readonly assignee: string | null
  readonly due_at: number | null
  readonly open_blockers: number
}

/** The tasks at the other end of a task's ordering dependencies, oldest dependency first. */
const related = (own: 'from' | 'to', other: 'from' | 'to') =>
  rawQuery<RelatedRow, { realm: number; task: string; count: number }>(
    (p) => sql`
      select task.id, task."key", task.title, task.status, task.priority, task.assignee, task.due_at,
        (select count(*) from dependencies as second
          join tasks as blocker on blocker.realm = second.realm and blocker.id = second."from"
          where second.realm = task.realm and second."to" = task.id and second.kind in ('blocks', 'precedes')
            and second.deleted_at is null and blocker.deleted_at is null
            and blocker.status not in ('done', 'canceled')) as open_blockers
      from dependencies as first
      join tasks as task on task.realm = first.realm and task.id = first.${sql.ref(other)}
      where first.realm = ${p('realm')} and first.${sql.ref(own)} = ${p('task')}
        and first.kind in ('blocks', 'precedes') and first.deleted_at is null and task.deleted_at is null
      order by first.id
      limit ${p('count')}`,
  )
const waitingForIt = related('from', 'to')
const itWaitsFor = related('to', 'from')

const teamsOf = rawQuery<{ team: string }, { realm: number; user: string; count: number }>(
  (p) => sql`
    select team_members.team from realms
    join team_members on team_members.organization = realms.organization and team_members."user" = ${p('user')}
    where realms.realm = ${p('realm')} and team_members.deleted_at is null
    order by team_members.team
    limit ${p('count')}`,
)

interface RelatedTask extends Omit<RelatedRow, 'due_at'> {
  /** Unix seconds. */
  readonly due_at: number | null
}

export interface Subject extends Task {
  readonly blocks?: readonly RelatedTask[]
  readonly blocked_by?: readonly RelatedTask[]
  /** Ids of teams; empty without an assignee. */
  readonly teams?: readonly string[]
}

/** The task; null if it is deleted or does not exist. */
export async function readSubject(
  reader: Reader,
  realm: number,
  id: string,
  program: Pick<Program, 'namesRelated'>,
): Promise<Subject | null> {
  const row = await reader.first(liveTask, { realm, id })
  if (row === undefined) return null
  const task = showTask(row)
  if (!program.namesRelated) return task
  const bound = { realm, task: row.id, count: automation_limits.automation_related_tasks_max }
  const blocks = await reader.all(waitingForIt, bound)
  const blocked_by = await reader.all(itWaitsFor, bound)
  const user = row.assignee ?? ''
  const teams = user === '' ? [] : await reader.all(teamsOf, { realm, user, count: limits.teams_max })
  return { ...task, blocks: blocks.map(show), blocked_by: blocked_by.map(show), teams: teams.map(({ team }) => team) }
}

function show(row: RelatedRow): RelatedTask {
  const due_at = row.due_at === null ? null : seconds(row.due_at)
  return { ...row, due_at, open_blockers: Number(row.open_blockers) }
}
