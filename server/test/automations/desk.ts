/** A workspace with one object of each kind that a graph can refer to, and others that it must not refer to. */
import { addMember } from '../../src/resources/members/write.ts'
import { addTaskTemplate } from '../../src/resources/task_templates/write.ts'
import type { CallOptions, Reply } from '../call.ts'
import type { World } from '../world.ts'
import type { GoodGraph } from './good-graph.ts'

/** A flow that is started by hand and comments on its task. */
export function smallGraph(body: unknown = 'Hello') {
  return {
    schema_version: 1,
    nodes: [
      { id: 'by_hand', type: 'trigger.manual', config: {} },
      { id: 'say', type: 'task.comment', config: { body } },
    ],
    edges: [{ source: 'by_hand', target: 'say' }],
  }
}

export interface Activation {
  readonly mode?: 'live' | 'shadow'
  readonly project?: string | null
  readonly call?: CallOptions
}

export class Desk {
  readonly world: World
  /** Ids by name. */
  readonly ids: Readonly<Record<string, string>>
  readonly workspace: string
  readonly project: string
  readonly column: string
  readonly task: string

  constructor(world: World, ids: Readonly<Record<string, string>>) {
    this.world = world
    this.ids = ids
    this.workspace = this.id('workspace')
    this.project = this.id('project')
    this.column = this.id('column')
    this.task = this.id('task')
  }

  id(name: string): string {
    const id = this.ids[name]
    if (id === undefined) throw new Error(`The desk has no ${name}.`)
    return id
  }

  /** The graph with every type of node, which refers to the objects of the desk. */
  filled(graph: GoodGraph): GoodGraph {
    const names = { prj_1: 'project', col_1: 'column', usr_1: 'user', tsk_1: 'other_task', tpl_1: 'template' }
    let text = JSON.stringify(graph)
    for (const [placeholder, name] of Object.entries(names)) {
      text = text.replaceAll(`"${placeholder}"`, `"${this.id(name)}"`)
    }
    return JSON.parse(text)
  }

  /** Creates a draft. */
  async draft(graph: object, more: object = {}, call: CallOptions = {}): Promise<Reply['body']> {
    const body = { workspace: this.workspace, name: 'A flow', graph, ...more }
    return await this.world.make('/v1/automation_flows', body, call)
  }

  async preview(flow: string, call: CallOptions = {}): Promise<Reply['body']> {
    const body = { workspace: this.workspace, task: this.task }
    return await this.world.make(`/v1/automation_flows/${flow}/preview`, body, call)
  }

  /** Drafts, previews and activates a flow. */
  async activate(graph: object, { mode = 'live', project = null, call = {} }: Activation = {}): Promise<Reply['body']> {
    const { id } = await this.draft(graph, { project }, call)
    const { preview_token } = await this.preview(id, call)
    const body = { workspace: this.workspace, preview_token, scope_acknowledged: true, mode }
    return await this.world.make(`/v1/automation_flows/${id}/activate`, body, call)
  }

  /** A new workspace with a project. */
  async fresh(): Promise<{ readonly workspace: string; readonly project: string }> {
    const workspace = (await this.world.make('/v1/workspaces', { title: 'Quiet room' })).id
    return { workspace, project: (await this.world.make('/v1/projects', { workspace, name: 'Quiet' })).id }
  }
}

/** Creates the objects in Acme's live realm. */
export async function openDesk(world: World): Promise<Desk> {
  const { services, acme } = world
  const make = async (path: string, body: object): Promise<string> => (await world.make(path, body)).id
  const workspace = await make('/v1/workspaces', { title: 'Desk' })
  const elsewhere = await make('/v1/workspaces', { title: 'Elsewhere' })
  const project = await make('/v1/projects', { workspace, name: 'Launch' })
  const other_project = await make('/v1/projects', { workspace, name: 'Landing' })
  const archived_project = await make('/v1/projects', { workspace, name: 'Done' })
  const deleted_project = await make('/v1/projects', { workspace, name: 'Gone' })
  const elsewhere_project = await make('/v1/projects', { workspace: elsewhere, name: 'Launch' })
  await world.make(`/v1/projects/${archived_project}/archive`, {})
  await world.delete(`/v1/projects/${deleted_project}`)
  const member = (email: string, status: 'active' | 'inactive') =>
    addMember(services, acme.id, { email, first_name: 'Ada', status })
  const realm = { organization: acme.id, realm: acme.realms.live, mode: 'live' as const }
  const template = { name: 'Release', defaults: { title: 'Cut it' } }
  await services.store.write('system', async (tx) => {
    const now = world.clock.now()
    const sealed = services.sealer.seal('hush', 'a test')
    tx.insert('automation_secrets', { realm: realm.realm, name: 'hook_key', created: now, updated: now, value: sealed })
  })
  return new Desk(world, {
    ...{ workspace, elsewhere, project, other_project, archived_project, deleted_project, elsewhere_project },
    column: await make('/v1/columns', { workspace, project, name: 'Doing' }),
    other_column: await make('/v1/columns', { workspace, project: other_project, name: 'Doing' }),
    elsewhere_column: await make('/v1/columns', { workspace: elsewhere, project: elsewhere_project, name: 'Doing' }),
    task: await make('/v1/tasks', { workspace, project, title: 'Write it down', labels: ['new'] }),
    other_task: await make('/v1/tasks', { workspace, project, title: 'Read it again' }),
    elsewhere_task: await make('/v1/tasks', { workspace: elsewhere, title: 'Not here' }),
    user: (await member('ada@acme.example', 'active')).user,
    inactive_user: (await member('bob@acme.example', 'inactive')).user,
    template: (await addTaskTemplate(services, { ...realm, ...template, workspace })).id,
    elsewhere_template: (await addTaskTemplate(services, { ...realm, ...template, workspace: elsewhere })).id,
  })
}
