/**
 * Begins runs for events. Reads each realm's log behind its stored position and commits the runs together with the new
 * position: no event is left out and none starts a run twice, whoever else does it at the same time. Realms that never
 * had an active flow have no position and cost nothing (decisions §16).
 */
import type { Mode } from '../api/caller.ts'
import { eventsBehind, lastSequence } from '../api/event-feed.ts'
import { showEvent } from '../api/event-shape.ts'
import type { Services } from '../api/services.ts'
import { commitSystemChange } from '../api/system-change.ts'
import type { Program } from '../automations/program.ts'
import { query } from '../db/query.ts'
import type { AutomationPositionRow, EventRow } from '../db/schema.ts'
import type { Tx } from '../db/store.ts'
import { limits } from '../lib/limits.ts'
import { programOfFlow } from '../resources/automation_runs/programs.ts'
import { activeFlows } from '../resources/automation_runs/queries-flows.ts'
import { matchesOf, Surroundings } from '../resources/automation_runs/queries-matches.ts'
import { type StartedFlow, type StartWork, startRun } from '../resources/automation_runs/queries-start.ts'
import type { Worker } from './worker.ts'

const realmsBehind = query((db, p) =>
  db
    .selectFrom('automation_positions as position')
    .innerJoin('realms', 'realms.realm', 'position.realm')
    .select(['position.realm', 'position.organization', 'position.mode'])
    .whereRef('realms.event_sequence', '>', 'position.sequence')
    .orderBy('position.looked_at')
    .limit(p('count')),
)

const findPosition = query<AutomationPositionRow>((db, p) =>
  db.selectFrom('automation_positions').selectAll().where('realm', '=', p('realm')),
)

const movePosition = query((db, p) =>
  db
    .updateTable('automation_positions')
    .set({ sequence: p('sequence'), looked_at: p('now') })
    .where('realm', '=', p('realm')),
)

type Place = Pick<AutomationPositionRow, 'realm' | 'organization' | 'mode'>

export const automationEventsWorker: Worker = {
  name: 'automation_events',
  does: 'Begins automation runs for new events.',
  period_ms: 500,
  lease_ms: 30_000,
  batch_max: limits.automation_realms_max,
  everywhere: true,
  wakeUp: 'events',
  async run(services, batch_max) {
    const realms = await services.store.reader('system').all(realmsBehind, { count: batch_max })
    await Promise.all(realms.map((place) => lookThrough(services, place)))
    // A step is bounded: there may be more behind it.
    if (realms.length > 0) services.wakeUps.call('events')
    return realms.length
  },
}

/** One step of a realm's log. */
async function lookThrough(services: Services, place: Place): Promise<void> {
  const { realm, organization } = place
  const realms = [{ realm, mode: place.mode as Mode }]
  const begun = await commitSystemChange(
    services,
    { organization, realms, action: 'automation_runs.start' },
    async (work) => {
      const position = await work.tx.first(findPosition, { realm })
      return position === undefined ? 0 : await step(work, position)
    },
  )
  if (begun > 0) services.wakeUps.call('automations')
}

async function step(work: StartWork, position: AutomationPositionRow): Promise<number> {
  const { tx, now } = work
  const { realm, sequence } = position
  const flows = await watching(tx, realm)
  const events =
    flows.length === 0 ? [] : await tx.all(eventsBehind, { realm, sequence, count: limits.event_batch_max })
  const around = new Surroundings(tx, realm)
  let last = sequence
  let begun = 0
  for (const event of events) {
    begun += await begin(work, flows, around, event, position.mode as Mode)
    last = event.sequence
    if (begun >= limits.automation_starts_max) break
  }
  // Nobody watches: all that there is has been looked through.
  if (flows.length === 0) last = (await tx.first(lastSequence, { realm }))?.event_sequence ?? last
  tx.write(movePosition, { realm, sequence: Math.max(last, sequence), now })
  return begun
}

interface Watching {
  readonly flow: StartedFlow
  readonly program: Program
  readonly types: ReadonlySet<string>
}

/** The active flows with event triggers. */
async function watching(tx: Tx, realm: number): Promise<Watching[]> {
  const found: Watching[] = []
  for (const flow of await tx.all(activeFlows, { realm })) {
    const program = await programOfFlow(tx, flow)
    const triggers = [...program.triggers.values()].filter((each) => each.type === 'trigger.event')
    const types = new Set(triggers.flatMap((each) => each.config.event_types))
    if (types.size > 0) found.push({ flow, program, types })
  }
  return found
}

/** Begins the runs of one event. Returns how many. */
async function begin(
  work: StartWork,
  flows: readonly Watching[],
  around: Surroundings,
  row: EventRow,
  mode: Mode,
): Promise<number> {
  const wanting = flows.filter(({ flow, types }) => types.has(row.type) && row.sequence > flow.active_after)
  if (wanting.length === 0) return 0
  const event = showEvent(row, mode)
  const causes = row.causes === null ? [] : (JSON.parse(row.causes) as string[])
  let begun = 0
  for (const { flow, program } of wanting) {
    for (const { trigger, task, failure } of await matchesOf(around, flow, program, event, work.now)) {
      const start = { flow, program, trigger, key: event.id, task, event, causes }
      await startRun(work, failure === null ? start : { ...start, failure })
      begun++
    }
  }
  return begun
}
