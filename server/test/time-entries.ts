/** Records time on one task, for the tests of time entries. */
import assert from 'node:assert/strict'
import { newId } from '../src/lib/ids.ts'
import { addMember } from '../src/resources/members/write.ts'
import type { Reply } from './call.ts'
import { started_at, type World } from './world.ts'

/** The initial time of the world's clock, in seconds. */
export const noon = started_at / 1000

export class Timesheet {
  readonly world: World
  readonly workspace: string
  readonly project: string
  readonly task: { readonly id: string; readonly key: string }

  constructor(world: World, workspace: string, project: string, task: Timesheet['task']) {
    this.world = world
    this.workspace = workspace
    this.project = project
    this.task = task
  }

  /** Creates an entry, by default on the task. */
  record(fields: object): Promise<Reply['body']> {
    const { world, workspace, task } = this
    return world.make('/v1/time_entries', { workspace, task: task.id, ...fields })
  }

  /** Starts an entry, by default of a new member. */
  async start(fields: { readonly user?: string; readonly [name: string]: unknown } = {}): Promise<Reply['body']> {
    const { world, workspace, task } = this
    const user = fields.user ?? (await this.newMember())
    return await world.make('/v1/time_entries/start', { workspace, task: task.id, ...fields, user })
  }

  /** Adds a member. Returns the user id. */
  async newMember(status: 'active' | 'inactive' = 'active'): Promise<string> {
    const { services, acme } = this.world
    return (await addMember(services, acme.id, { email: `${newId('m', 1)}@acme.example`, status })).user
  }
}

/** Creates a task of a project to record time on. */
export async function openTimesheet(world: World): Promise<Timesheet> {
  const workspace = (await world.make('/v1/workspaces', { title: 'Kubernetes Enhancement Proposals' })).id
  const project = (await world.make('/v1/projects', { workspace, name: 'Release' })).id
  const task = await world.make('/v1/tasks', { workspace, project, title: 'Graduate the feature gate' })
  return new Timesheet(world, workspace, project, task)
}

/** Asserts a refusal with exactly this status, code and parameter. */
export function refused(reply: Reply, status: number, code: string, param?: string): void {
  assert.deepEqual([reply.status, reply.body.error?.code, reply.body.error?.param], [status, code, param])
}
