/** The latest changes that the signed-in person made and can still undo. */
import { limits } from '../../api/limits.ts'
import { listedFields } from '../../api/write/record.ts'
import { seconds } from '../../lib/clock.ts'
import { loggedChange } from '../../resources/undo/changes.ts'
import { latestEventsOf } from '../../resources/undo/queries.ts'
import { endpoint } from '../endpoint.ts'
import { modeParameter } from '../fields.ts'
import { console_limits } from '../limits.ts'
import { callerOfSession } from '../sessions/session.ts'
import type { OwnChange } from '../shapes.ts'

const { console_changes_max, console_change_events_max } = console_limits

const undoable: ReadonlySet<string> = new Set(['task', 'dependency'])

/** At most `console_changes_max` changes of tasks of the last day, newest first, each with the tasks that it changed. */
export const listOwnChanges = endpoint('GET own-changes', {
  needs: 'session',
  query: { mode: modeParameter },
  async handle({ services, session, query }) {
    const caller = callerOfSession(session, query.mode ?? 'live')
    const since = services.clock.now() - limits.undo_age_ms
    const bound = { realm: caller.realm, user: caller.owner.id, since, count: console_change_events_max }
    const rows = await services.store.reader(caller.storeScope).all(latestEventsOf, bound)
    const requests = [...Map.groupBy(rows, ({ request }) => request as string)]
    const changes = requests.flatMap(([request, events]): OwnChange[] => {
      const logged = events.filter(({ object }) => undoable.has(object)).map(loggedChange)
      const own = logged.filter(({ after }) => after.object === 'task')
      const [first] = events
      if (first === undefined || logged.length === 0) return []
      return [
        {
          request,
          created: seconds(first.created),
          is_undoable: logged.length === events.length && own.every(({ verb }) => verb !== 'deleted'),
          task_count: own.length,
          tasks: own.slice(-3).map(({ id, after }) => ({ id, key: String(after.key), title: String(after.title) })),
          verbs: [...new Set(own.map(({ verb }) => verb))],
          fields: [...new Set(own.flatMap(({ previous }) => listedFields(previous)))],
        },
      ]
    })
    return { data: changes.slice(0, console_changes_max) }
  },
})
