import type { Event, Viewer } from '../../../api/stream/shape.ts'
import type { Program } from '../../../automations/program.ts'
import { type StepFailure, triggerAllows } from '../../../automations/resolve.ts'
import { beforeOfEvent, taskOfEvent, watches } from '../../../automations/triggers.ts'
import { type RunFacts, triggerVariables } from '../../../automations/variables.ts'
import type { Reader } from '../../../db/store.ts'
import { seconds } from '../../../lib/clock.ts'
import { findOrganization } from '../../organizations/organization.ts'
import { readSubject, type Subject } from '../queries/subject.ts'
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
  async task(id: string, program: Pick<Program, 'namesRelated'>): Promise<Subject | null> {
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

export type WatchingFlow = Pick<
  StartedFlow,
  'id' | 'name' | 'version' | 'mode' | 'organization' | 'workspace' | 'project'
>

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
  about: {
    readonly event: Event | null
    readonly task: object | null
    readonly request?: object
    readonly form?: object
    readonly mail?: object
    readonly call?: object
  },
  now: number,
): RunFacts {
  const { id, name, version, mode, workspace, project } = flow
  return {
    event: about.event,
    task: about.task,
    before: about.event === null ? null : beforeOfEvent(about.event),
    request: about.request ?? null,
    form: about.form ?? null,
    mail: about.mail ?? null,
    call: about.call ?? null,
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

/** Which past starts are looked for, and for whom. */
export interface Window {
  readonly viewer: Viewer
  /** Milliseconds. */
  readonly since: number
  readonly now: number
}
