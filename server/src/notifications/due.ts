/**
 * What time tells: a task is due tomorrow in its assignee's time zone, or its due date has passed. An entry's id follows from the
 * task, its due date and the person, so a repeated look tells no person twice. The clock of a realm advances after all of it.
 */
import { type Placeholder, query } from '../db/query.ts'
import type { TaskRow } from '../db/schema.ts'
import type { Reader, Store, Tx } from '../db/store.ts'
import { seconds } from '../lib/clock.ts'
import { dateIn, instantOf } from '../lib/time-zones.ts'
import { entryId, writeEntry } from './entries.ts'
import { guestsElsewhere } from './heard-by-guests.ts'
import { inbox_limits } from './limits.ts'
import { type Reach, type SendPlan, sendPlan } from './send-plan.ts'
import { watchingOf } from './watching.ts'

export interface DuePlace {
  readonly realm: number
  readonly organization: string
  readonly clock_at: number
  readonly mode: string
}

/** Realms in the order of their numbers, with the time up to which their due dates were reported. */
export const realmsOfClock = query<DuePlace, { realm: number; count: number }>((db, p) =>
  db
    .selectFrom('inbox_positions as position')
    .innerJoin('realms', 'realms.realm', 'position.realm')
    .select(['position.realm', 'position.organization', 'position.clock_at', 'realms.mode'])
    .where('position.realm', '>', p('realm'))
    .orderBy('position.realm')
    .limit(p('count')),
)

const moveClock = query((db, p: Placeholder<{ realm: number; now: number }>) =>
  db
    .updateTable('inbox_positions')
    .set({ clock_at: p('now') })
    .where('realm', '=', p('realm')),
)

/** Uses the index on (realm, due_at, id). */
const dueTasks = query<TaskRow, { realm: number; from: number; to: number; after: string; count: number }>((db, p) =>
  db
    .selectFrom('tasks')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('due_at', '>=', p('from'))
    .where('due_at', '<', p('to'))
    .where((or) => or.or([or('due_at', '>', p('from')), or('id', '>', p('after'))]))
    .orderBy('due_at')
    .orderBy('id')
    .limit(p('count')),
)

const chosenZones = query((db, p: Placeholder<{ organization: string }>) =>
  db
    .selectFrom('preferences')
    .select(['user', 'time_zone'])
    .where('organization', '=', p('organization'))
    .where('time_zone', 'is not', null),
)

type Scoped = Pick<Store, 'reader' | 'write'>

/** Reports everything that has come due in a realm since its clock's last look. */
export async function tellDue(store: Scoped, place: DuePlace, now: number, reach: Reach): Promise<void> {
  const scope = { organization: place.organization, realms: [place.realm] }
  // A clock that has not run yet, or not for long, reports no old dates. One that went back repeats, which tells no person twice.
  const from = Math.max(Math.min(place.clock_at, now), now - inbox_limits.inbox_clock_back_ms)
  if (place.clock_at > 0) {
    await tellOf(store, place, { kind: 'overdue', from, to: now, at: null, people: null, now, reach })
    const zones = await zonesOf(store.reader(scope), place.organization)
    for (const [zone, people] of zones) await tellTomorrow(store, place, { zone, people, from, now, reach })
  }
  await store.write(scope, async (tx) => tx.write(moveClock, { realm: place.realm, now }))
}

interface Zone {
  readonly zone: string
  /** Those who chose it; of UTC also everyone who chose none. */
  readonly people: People
  readonly from: number
  readonly now: number
  readonly reach: Reach
}

interface People {
  has(user: string): boolean
}

async function tellTomorrow(store: Scoped, place: DuePlace, { zone, people, from, now, reach }: Zone): Promise<void> {
  const today = dateIn(zone, now)
  const at = instantOf(zone, today, inbox_limits.inbox_due_tomorrow_hour * 60)
  if (at <= from || at > now) return
  const range = { from: instantOf(zone, today.add({ days: 1 })), to: instantOf(zone, today.add({ days: 2 })) }
  await tellOf(store, place, { kind: 'due_tomorrow', ...range, at, people, now, reach })
}

/** The people of each time zone. */
async function zonesOf(reader: Reader, organization: string): Promise<Map<string, People>> {
  const chosen = await reader.all(chosenZones, { organization })
  const zones = new Map<string, Set<string>>()
  const elsewhere = new Set<string>()
  for (const { user, time_zone } of chosen) {
    if (time_zone === null || time_zone === 'UTC') continue
    elsewhere.add(user)
    zones.set(time_zone, (zones.get(time_zone) ?? new Set()).add(user))
  }
  return new Map<string, People>([...zones, ['UTC', { has: (user) => !elsewhere.has(user) }]])
}

interface Telling {
  readonly kind: 'overdue' | 'due_tomorrow'
  readonly from: number
  readonly to: number
  /** When it is reported; null: at the due date. */
  readonly at: number | null
  /** Null: everyone. */
  readonly people: People | null
  readonly now: number
  readonly reach: Reach
}

async function tellOf(store: Scoped, { realm, organization, mode }: DuePlace, telling: Telling): Promise<void> {
  const scope = { organization, realms: [realm] }
  let [from, after] = [telling.from, '']
  for (;;) {
    const count = inbox_limits.inbox_due_tasks_max
    const found = await store.reader(scope).all(dueTasks, { realm, from, to: telling.to, after, count })
    const due = found.filter((task) => isDue(task, telling.people))
    if (due.length > 0)
      await store.write(scope, async (tx) => {
        const plan = sendPlan(tx, organization, mode, telling.now, telling.reach)
        for (const task of due) await tellTask(tx, task, { ...telling, organization }, plan)
      })
    const last = found.at(-1)
    if (last === undefined || found.length < count) return
    ;[from, after] = [last.due_at ?? from, last.id]
  }
}

function isDue({ deleted_at, is_archived, status, assignee }: TaskRow, people: People | null): boolean {
  if (deleted_at !== null || is_archived === 1 || assignee === null) return false
  return status !== 'done' && status !== 'canceled' && (people === null || people.has(assignee))
}

async function tellTask(
  tx: Tx,
  task: TaskRow,
  { kind, at, organization }: Telling & { readonly organization: string },
  plan: SendPlan | null,
): Promise<void> {
  const { realm, id, workspace, project, assignee, due_at } = task
  if (assignee === null || due_at === null) return
  const creator = { type: task.creator_type, id: task.creator_id }
  const watching = await watchingOf(tx, realm, { id, project, assignee, creator }, null)
  if (watching.standing(assignee).level === 'muted') return
  if ((await guestsElsewhere(tx, { organization, realm }, [assignee], async () => project)).size > 0) return
  const told = { kind, workspace, subject_type: 'task', subject: id, comment: null }
  const none = { event: null, sequence: 0, actor: null, generation: 0 }
  const source = { realm, cause: `${kind} ${id} ${due_at}`, at: at ?? due_at, ...none }
  writeEntry(tx, assignee, { ...told, details: { due_at: seconds(due_at) } }, source)
  await plan?.add(realm, assignee, { id: entryId(assignee, source), kind, at: source.at })
}
