/**
 * Who watches a task or a project. A row says from which sequence of the event log on a person watches, leaves alone or mutes
 * something; the row with the greatest sequence holds. Without a row, author and assignee of a task watch it. So the answer for
 * any place of the log is the same whenever it is asked, which makes the inbox repeatable.
 */
import { isOneOf } from '../db/dialect.ts'
import { type Placeholder, query } from '../db/query.ts'
import type { WatchRow } from '../db/schema.ts'
import type { Reader, Tx } from '../db/store.ts'

export const watch_levels = ['watching', 'none', 'muted'] as const
export type WatchLevel = (typeof watch_levels)[number]

/** Why a person watches. `hand`: the person said so. */
export const watch_reasons = ['hand', 'author', 'assignee', 'commenter', 'mentioned', 'project'] as const
export type WatchReason = (typeof watch_reasons)[number]

/** What of a task decides who watches it without having said so. */
export interface WatchedTask {
  readonly id: string
  readonly project: string | null
  readonly assignee: string | null
  readonly creator: { readonly type: string; readonly id: string }
}

const rowsBefore = query<WatchRow, { realm: number; subjects: string; before: number }>((db, p, dialect) =>
  db
    .selectFrom('watches')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where(isOneOf(dialect, 'subject', p('subjects')))
    .where('since', '<', p('before'))
    .orderBy('since'),
)

const rowsOfUser = query<WatchRow, { realm: number; subject: string; user: string }>((db, p) =>
  db
    .selectFrom('watches')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('subject', '=', p('subject'))
    .where('user', '=', p('user'))
    .orderBy('since', 'desc'),
)

const byHand = query((db, p: Placeholder<WatchColumns>) =>
  db
    .insertInto('watches')
    .values({
      realm: p('realm'),
      subject: p('subject'),
      user: p('user'),
      since: p('since'),
      level: p('level'),
      reason: p('reason'),
    })
    .onConflict((conflict) =>
      conflict
        .columns(['realm', 'subject', 'user', 'since'])
        .doUpdateSet((eb) => ({ level: eb.ref('excluded.level'), reason: eb.ref('excluded.reason') })),
    ),
)

/** What the person has said at the same place of the log stays. */
const byItself = query((db, p: Placeholder<WatchColumns>) =>
  db
    .insertInto('watches')
    .values({
      realm: p('realm'),
      subject: p('subject'),
      user: p('user'),
      since: p('since'),
      level: p('level'),
      reason: p('reason'),
    })
    .onConflict((conflict) => conflict.columns(['realm', 'subject', 'user', 'since']).doNothing()),
)

type WatchColumns = { [K in keyof WatchRow]: WatchRow[K] }

/** How one person stands to a task, and why. */
export interface Standing {
  readonly level: WatchLevel
  readonly reason: WatchReason | null
}

/** How people stand to a task at a place of the log. */
export class Watching {
  private readonly task: WatchedTask
  private readonly ofTask = new Map<string, WatchRow>()
  private readonly ofProject = new Map<string, WatchRow>()

  constructor(task: WatchedTask, rows: readonly WatchRow[]) {
    this.task = task
    for (const row of rows) (row.subject === task.id ? this.ofTask : this.ofProject).set(row.user, row)
  }

  standing(user: string): Standing {
    const own = this.ofTask.get(user)
    if (own !== undefined) return { level: own.level as WatchLevel, reason: own.reason as WatchReason }
    const project = this.ofProject.get(user)?.level
    if (project === 'muted') return { level: 'muted', reason: 'project' }
    const { assignee, creator } = this.task
    if (user === assignee) return { level: 'watching', reason: 'assignee' }
    if (creator.type === 'user' && creator.id === user) return { level: 'watching', reason: 'author' }
    return project === 'watching' ? { level: 'watching', reason: 'project' } : { level: 'none', reason: null }
  }

  /** Everyone who watches, in the order of their ids. */
  watchers(): string[] {
    const { assignee, creator } = this.task
    const people = new Set([...this.ofTask.keys(), ...this.ofProject.keys()])
    if (assignee !== null) people.add(assignee)
    if (creator.type === 'user') people.add(creator.id)
    return [...people].filter((user) => this.standing(user).level === 'watching').sort()
  }
}

/** Who watches a task as of the events before a sequence; `null` means now. */
export async function watchingOf(
  reader: Reader,
  realm: number,
  task: WatchedTask,
  before: number | null,
): Promise<Watching> {
  const subjects = JSON.stringify(task.project === null ? [task.id] : [task.id, task.project])
  const rows = await reader.all(rowsBefore, { realm, subjects, before: before ?? Number.MAX_SAFE_INTEGER })
  return new Watching(task, rows)
}

/** Everyone who watches a project itself, in the order of their ids, and what each person has said of it. */
export async function watchersOfProject(
  reader: Reader,
  realm: number,
  project: string,
): Promise<Map<string, WatchRow>> {
  const subjects = JSON.stringify([project])
  const rows = await reader.all(rowsBefore, { realm, subjects, before: Number.MAX_SAFE_INTEGER })
  return new Map(rows.map((row) => [row.user, row]))
}

/** Stores what a person says; what holds already is not written again. Returns whether anything changed. */
export async function watchByHand(
  tx: Tx,
  { realm, subject, user, level }: Pick<WatchRow, 'realm' | 'subject' | 'user'> & { readonly level: WatchLevel },
  since: number,
): Promise<boolean> {
  const last = await tx.first(rowsOfUser, { realm, subject, user })
  if (last?.level === level && last.reason === 'hand') return false
  tx.write(byHand, { realm, subject, user, since, level, reason: 'hand' })
  return true
}

/** Makes a person a watcher from an event on, unless the person watches already or has muted the task. */
export function watchByItself(
  tx: Tx,
  realm: number,
  watching: { readonly subject: string; readonly standing: Standing },
  user: string,
  since: number,
  reason: WatchReason,
): void {
  const { level } = watching.standing
  if (level === 'muted' || level === 'watching') return
  tx.write(byItself, { realm, subject: watching.subject, user, since, level: 'watching', reason })
}
