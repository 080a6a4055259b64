/**
 * Which events start runs of a flow: those of its workspace and project that one of its event triggers watches, if the
 * trigger's `when` is true for the task's present state (contract/16#triggers). The follower of the log and the match
 * count of previews both use it.
 */

import { limits } from '../../../api/limits.ts'
import { type Event, showEvent, type Viewer } from '../../../api/stream/event-shape.ts'
import { automation_limits } from '../../../automations/limits.ts'
import type { Program } from '../../../automations/program.ts'
import { type StepFailure, triggerAllows } from '../../../automations/resolve.ts'
import { beforeOfEvent, taskOfEvent, watches } from '../../../automations/triggers.ts'
import { type RunFacts, triggerVariables } from '../../../automations/variables.ts'
import { isOneOf } from '../../../db/dialect.ts'
import { query } from '../../../db/query.ts'
import type { EventRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { seconds } from '../../../lib/clock.ts'
import { findOrganization } from '../../organizations/organization.ts'
import { readSubject, type Subject } from '../queries-subject.ts'
import type { StartedFlow } from '../start-run.ts'

/** Caches the organization and the tasks for one pass over events. */
export class Surroundings {
  readonly #reader: Reader
  readonly #realm: number
  readonly #tasks = new Map<string, Subject | null>()
  #org: RunFacts['org'] | null = null

  constructor(reader: Reader, realm: number) {
    this.#reader = reader
    this.#realm = realm
  }

  async org(organization: string): Promise<RunFacts['org']> {
    if (this.#org === null) {
      const row = await this.#reader.first(findOrganization, { organization })
      this.#org = { id: organization, name: row?.name ?? '', plan: row?.plan ?? '' }
    }
    return this.#org
  }

  /** The task as the program's expressions see it; null if it is deleted. */
  async task(id: string, program: Program): Promise<Subject | null> {
    const name = `${id} ${program.namesRelated}`
    const known = this.#tasks.get(name)
    if (known !== undefined) return known
    const subject = await readSubject(this.#reader, this.#realm, id, program)
    this.#tasks.set(name, subject)
    return subject
  }
}

export interface Match {
  readonly trigger: string
  readonly task: string | null
  /** Why `when` could not be evaluated. */
  readonly failure: StepFailure | null
}

type WatchingFlow = Pick<StartedFlow, 'id' | 'name' | 'version' | 'mode' | 'organization' | 'workspace' | 'project'>

/** The triggers of a flow that an event starts. `now` is in milliseconds. */
export async function matchesOf(
  around: Surroundings,
  flow: WatchingFlow,
  program: Program,
  event: Event,
  now: number,
): Promise<Match[]> {
  if (event.workspace !== flow.workspace) return []
  const matches: Match[] = []
  for (const [id, trigger] of program.triggers) {
    if (trigger.type !== 'trigger.event' || !watches(trigger, event)) continue
    const task = taskOfEvent(event)
    const shown = task === null ? null : await around.task(task, program)
    if (flow.project !== null && projectOf(event, shown) !== flow.project) continue
    const facts = factsOf(flow, await around.org(flow.organization), { event, task: shown }, now)
    const { allows, failure } = triggerAllows(program, id, triggerVariables(facts))
    if (allows || failure !== null) matches.push({ trigger: id, task, failure })
  }
  return matches
}

/** The facts that a trigger's expressions can use. */
export function factsOf(
  flow: WatchingFlow,
  org: RunFacts['org'],
  about: { readonly event: Event | null; readonly task: object | null },
  now: number,
): RunFacts {
  const { id, name, version, mode, workspace, project } = flow
  return {
    event: about.event,
    task: about.task,
    before: about.event === null ? null : beforeOfEvent(about.event),
    now: seconds(now),
    flow: { id, name, version, mode, workspace, project },
    org,
    run: null,
  }
}

/** The project of an event at the time it happened; for comments and dependencies their task's present project. */
function projectOf({ data }: Event, task: Subject | null): unknown {
  const object = data.object as Readonly<Record<string, unknown>>
  if (object.object === 'project') return object.id
  if ('project' in object) return object.project
  return task?.project ?? null
}

const ofTypes = query<EventRow, { realm: number; since: number; before: number; types: string; count: number }>(
  (db, p, dialect) =>
    db
      .selectFrom('events')
      .selectAll()
      .where('realm', '=', p('realm'))
      .where('created', '>=', p('since'))
      .where('sequence', '<', p('before'))
      .where(isOneOf(dialect, 'type', p('types')))
      .orderBy('sequence', 'desc')
      .limit(p('count')),
)

type CountedFlow = WatchingFlow & Pick<StartedFlow, 'realm'>

interface Window {
  readonly viewer: Viewer
  /** Milliseconds. */
  readonly since: number
  readonly now: number
}

/**
 * Visits the retained events since `since` of the types that a flow watches, newest first, as the viewer may read them
 * (contract/10#hidden-objects), until `visit` returns false: at most `automation_matches_events_max`. Returns whether there
 * are others.
 */
async function visitWatched(
  reader: Reader,
  flow: CountedFlow,
  program: Program,
  { viewer, since }: Window,
  visit: (event: Event) => Promise<boolean>,
): Promise<boolean> {
  const triggers = [...program.triggers.values()].filter((each) => each.type === 'trigger.event')
  const types = [...new Set(triggers.flatMap((each) => each.config.event_types))]
  if (types.length === 0) return false
  let considered = 0
  for (let before = Number.MAX_SAFE_INTEGER; considered < automation_limits.automation_matches_events_max; ) {
    const batch = { realm: flow.realm, since, before, types: JSON.stringify(types), count: limits.event_batch_max }
    const rows = await reader.all(ofTypes, batch)
    for (const row of rows) if (!(await visit(showEvent(row, viewer)))) return true
    considered += rows.length
    // Yields between batches so that other requests are served.
    await new Promise(setImmediate)
    if (rows.length < limits.event_batch_max) return false
    before = rows.at(-1)?.sequence ?? 0
  }
  return true
}

/**
 * Counts the retained events since `since` that would have started runs, judged by the tasks' present state. `more` reports
 * that there were events that were not considered.
 */
export async function countMatches(
  reader: Reader,
  flow: CountedFlow,
  program: Program,
  window: Window,
): Promise<{ readonly count: number; readonly more: boolean }> {
  const around = new Surroundings(reader, flow.realm)
  let count = 0
  const more = await visitWatched(reader, flow, program, window, async (event) => {
    const matches = await matchesOf(around, flow, program, event, window.now)
    if (matches.some(({ failure }) => failure === null)) count++
    return true
  })
  return { count, more }
}

export interface RecentStart extends Match {
  readonly event: Event
}

/** The latest starts that events since `since` would have caused, newest first; `more` reports that there are older ones. */
export async function recentStarts(
  reader: Reader,
  flow: CountedFlow,
  program: Program,
  window: Window,
  count: number,
): Promise<{ readonly starts: readonly RecentStart[]; readonly more: boolean }> {
  const around = new Surroundings(reader, flow.realm)
  const starts: RecentStart[] = []
  const more = await visitWatched(reader, flow, program, window, async (event) => {
    const matches = await matchesOf(around, flow, program, event, window.now)
    const found = matches.filter(({ failure }) => failure === null)
    if (starts.length + found.length > count) return false
    starts.push(...found.map((match) => ({ ...match, event })))
    return true
  })
  return { starts, more }
}
