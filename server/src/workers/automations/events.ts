/**
 * Starts runs for events. It follows each realm's log from a stored position and commits the runs together with the new
 * position, so concurrent processes neither miss an event nor start a run twice. Realms that never had an active flow
 * have no position and cost nothing (contract/16#run-start).
 */
import type { Mode } from '../../api/declare/caller.ts'
import { limits } from '../../api/limits.ts'
import type { Services } from '../../api/services.ts'
import { followLog, headOf, type LogPosition } from '../../api/stream/log.ts'
import { showEvent } from '../../api/stream/shape.ts'
import { commitSystemChange } from '../../api/write/system-change.ts'
import { automation_limits } from '../../automations/limits.ts'
import type { Program } from '../../automations/program.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { AutomationPositionRow, EventRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { programOfFlow } from '../../resources/automation_runs/programs.ts'
import { activeFlows } from '../../resources/automation_runs/queries/flows.ts'
import { matchesOf, Surroundings } from '../../resources/automation_runs/shared/matches.ts'
import { type StartedFlow, type StartTransaction, startRun } from '../../resources/automation_runs/start-run.ts'
import type { Worker } from '../worker.ts'

const realmsBehind = query((db, p: Placeholder<{ count: number }>) =>
  db
    .selectFrom('automation_positions as position')
    .innerJoin('event_heads', 'event_heads.realm', 'position.realm')
    .select(['position.realm', 'position.organization', 'position.mode'])
    .whereRef('event_heads.sequence', '!=', 'position.sequence')
    .orderBy('position.looked_at')
    .limit(p('count')),
)

const findPosition = query<AutomationPositionRow, { realm: number }>((db, p) =>
  db.selectFrom('automation_positions').selectAll().where('realm', '=', p('realm')),
)

const movePosition = query(
  (db, p: Placeholder<{ sequence: number; event: string | null; now: number; realm: number }>) =>
    db
      .updateTable('automation_positions')
      .set({ sequence: p('sequence'), event: p('event'), looked_at: p('now') })
      .where('realm', '=', p('realm')),
)

type RealmPosition = Pick<AutomationPositionRow, 'realm' | 'organization' | 'mode'>

export const automationEventsWorker: Worker = {
  name: 'automation_events',
  does: 'Starts automation runs for new events.',
  period_ms: 500,
  lease_ms: 30_000,
  batch_max: automation_limits.automation_realms_max,
  everywhere: true,
  wakeUp: 'events',
  async run(services, batch_max) {
    const realms = await services.store.reader('system').all(realmsBehind, { count: batch_max })
    await Promise.all(realms.map((place) => processRealm(services, place)))
    // A pass is bounded, so more events may follow.
    if (realms.length > 0) services.wakeUps.call('events')
    return realms.length
  },
}

/** Processes one batch of a realm's log. */
async function processRealm(services: Services, place: RealmPosition): Promise<void> {
  const { realm, organization } = place
  const realms = [{ realm, mode: place.mode as Mode }]
  const { begun, lost } = await commitSystemChange(
    services,
    { organization, realms, action: 'automation_runs.start' },
    async (work) => {
      const position = await work.tx.first(findPosition, { realm })
      return position === undefined ? { begun: 0, lost: null } : await step(work, position)
    },
  )
  if (lost !== null) {
    const message = 'the newest events are missing after a failover or restore; runs start for those in their place'
    services.log.error(message, { realm, event: lost.id, sequence: lost.sequence })
  }
  if (begun > 0) services.wakeUps.call('automations')
}

interface Stepped {
  readonly begun: number
  /** The position whose event is missing. */
  readonly lost: LogPosition | null
}

async function step(work: StartTransaction, position: AutomationPositionRow): Promise<Stepped> {
  const { tx, now } = work
  const { realm } = position
  const flows = await watching(tx, realm)
  const after = { sequence: position.sequence, id: position.event }
  const at = { now, clocks_apart_ms: limits.clocks_apart_ms }
  const { events, isLost } =
    flows.length === 0 ? { events: [], isLost: false } : await followLog(tx, realm, after, limits.event_batch_max, at)
  const around = new Surroundings(tx, realm)
  let last: LogPosition | null = null
  let begun = 0
  for (const event of events) {
    begun += await begin(work, flows, around, event, position.mode as Mode)
    last = event
    if (begun >= automation_limits.automation_starts_max) break
  }
  // Without flows to start or events to read, the whole log counts as processed.
  last ??= { sequence: await headOf(tx, realm), id: null }
  tx.write(movePosition, { realm, sequence: last.sequence, event: last.id, now })
  return { begun, lost: isLost ? after : null }
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

/** Starts the runs of one event and returns their number. */
async function begin(
  work: StartTransaction,
  flows: readonly Watching[],
  around: Surroundings,
  row: EventRow,
  mode: Mode,
): Promise<number> {
  const wanting = flows.filter(({ flow, types }) => types.has(row.type) && row.sequence > flow.active_after)
  if (wanting.length === 0) return 0
  const event = showEvent(row, { mode, scopes: null })
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
