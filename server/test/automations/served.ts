/** Flows that are created, previewed and activated over HTTP, and whose runs the workers execute. */
import assert from 'node:assert/strict'
import type { Services } from '../../src/api/services.ts'
import { automationClocksWorker } from '../../src/workers/automations/clocks.ts'
import { automationEventsWorker } from '../../src/workers/automations/events.ts'
import { drainRuns } from '../../src/workers/automations/runs.ts'
import type { Reply } from '../call.ts'
import type { World } from '../world.ts'

type Body = Reply['body']

export interface Office {
  readonly workspace: string
  readonly project: string
  readonly task: string
}

/** A workspace with a project, and a task for previews. */
export async function openOffice(world: World): Promise<Office> {
  const workspace = (await world.make('/v1/workspaces', { title: 'Office' })).id as string
  const project = (await world.make('/v1/projects', { workspace, name: 'Launch' })).id as string
  const task = (await world.make('/v1/tasks', { workspace, project, title: 'Seed' })).id as string
  return { workspace, project, task }
}

export interface ActiveOptions {
  readonly project?: string | null
  readonly mode?: 'live' | 'shadow'
  readonly name?: string
  readonly key?: string
  readonly ai?: boolean
}

/** Creates a flow, previews it with the office's task and activates it. */
export async function activate(
  world: World,
  office: Office,
  graph: object,
  options: ActiveOptions = {},
): Promise<Body> {
  const { workspace } = office
  const call = options.key === undefined ? {} : { key: options.key }
  const { project = null, name = 'A flow', mode = 'live' } = options
  const flow = await world.make('/v1/automation_flows', { workspace, name, project, graph }, call)
  return await activateAgain(world, office, flow.id, { ...options, mode })
}

/** Previews and activates a draft or paused flow. */
export async function activateAgain(world: World, office: Office, flow: string, options: ActiveOptions = {}) {
  const { workspace, task } = office
  const call = options.key === undefined ? {} : { key: options.key }
  const preview = await world.make(`/v1/automation_flows/${flow}/preview`, { workspace, task }, call)
  const body = {
    workspace,
    preview_token: preview.preview_token,
    scope_acknowledged: true,
    mode: options.mode ?? 'live',
    ...(options.ai === true ? { ai_cost_acknowledged: true } : {}),
  }
  return await world.make(`/v1/automation_flows/${flow}/activate`, body, call)
}

const never = new AbortController().signal

/** One run of each worker that starts runs. Returns the number of realms with new events. */
export async function begin(services: Services): Promise<number> {
  let all = 0
  for (;;) {
    const looked = await automationEventsWorker.run(services, automationEventsWorker.batch_max, never)
    all += looked
    if (looked === 0) break
  }
  await automationClocksWorker.run(services, automationClocksWorker.batch_max, never)
  return all
}

/** Starts and executes all runs that are due by the world's clock. */
export async function settle(services: Services): Promise<void> {
  for (let round = 0; ; round++) {
    assert.ok(round < 1000, 'automations keep each other busy without an end')
    const begun = await begin(services)
    const done = await drainRuns(services)
    if (begun === 0 && done === 0) return
  }
}

/** The runs of a flow, oldest first, with their steps. */
export async function runsOf(world: World, office: Office, flow: string): Promise<Body[]> {
  const runs: Body[] = []
  let cursor = ''
  for (;;) {
    const path = `/v1/automation_runs?workspace=${office.workspace}&automation_flow=${flow}&limit=100${cursor}`
    const page = (await world.get(path)).body
    runs.push(...page.data)
    if (!page.has_more) break
    cursor = `&cursor=${page.next_cursor}`
  }
  return runs.reverse()
}
