/** A guest of one project, for the tests that walk over every operation. */
import type { Operation } from '../src/api/declare/operation.ts'
import { join, ownerOf, type Visitor } from './console/visitor.ts'
import { populate, type Things, type ValidCall } from './things.ts'
import type { World } from './world.ts'

/** Puts the shared board into the shared project and the file on its task, where a guest of the project sees them. */
export async function showToGuests(things: Things): Promise<void> {
  const { world, key } = things
  await world.patch(`/v1/boards/${things.id('board')}`, { project: things.id('project') }, { key })
  await world.patch(`/v1/tasks/${things.id('task')}`, { attachments: [things.id('file')] }, { key })
}

/** A valid call as a guest makes it: a new task needs a project, and the guest has been invited to the one that a call names. */
export async function callAsGuest(
  things: Things,
  operation: Operation,
  { key, user, owner }: { readonly key: string; readonly user: string; readonly owner: Visitor },
): Promise<ValidCall> {
  things.person = user
  if (operation.target?.object === 'notification') things.ids.notification = await things.fresh('notification')
  if (operation.target?.object === 'saved_filter') {
    const filter = { workspace: things.id('workspace'), name: 'Mine', filter: 'priority = high', visibility: 'private' }
    things.ids.saved_filter = (await things.world.make('/v1/saved_filters', filter, { key })).id
  }
  // A guest changes only own comments.
  if (operation.target?.object === 'comment' && operation.kind === 'write') {
    const path = `/v1/tasks/${things.id('task')}/comments`
    const body = { workspace: things.id('workspace'), body: 'Mine' }
    things.ids.own_comment = (await things.world.make(path, body, { key })).id
  }
  const made = await things.call(operation, key)
  const own = { saved_filter: 'saved_filter', comment: 'own_comment' }[operation.target?.object ?? '']
  const isOwn = own !== undefined && (own === 'saved_filter' || operation.kind === 'write')
  const params = isOwn ? { ...made.params, id: things.id(own) } : made.params
  const call = { ...made, params }
  if (operation.id === 'tasks.create') {
    return { ...call, body: { ...(call.body as object), project: things.id('project') } }
  }
  if (operation.id === 'tasks.batch') {
    const { data, ...body } = call.body as { data: object[] }
    return { ...call, body: { ...body, data: data.map((each) => ({ ...each, project: things.id('project') })) } }
  }
  const { project } = (call.body ?? {}) as { project?: string }
  const target = operation.target?.object === 'project' ? call.params.id : undefined
  const others = [project, target].filter((id) => id !== undefined)
  if (others.length > 0) await admit(owner, user, [things.id('project'), ...others])
  return call
}

/** A guest of one project in a populated organization. */
export interface GuestScene {
  /** The objects around the project. */
  readonly own: Things
  readonly owner: Visitor
  readonly guest: Visitor
  readonly user: string
  /** For `/v1`. */
  readonly token: string
  /** Prefix → ids of the same organization that the guest does not see, some of them in the guest's own workspace. */
  readonly foreign: ReadonlyMap<string, readonly string[]>
}

export async function openGuest(world: World): Promise<GuestScene> {
  const own = await populate(world)
  const others = await populate(world)
  const owner = await ownerOf(world)
  await showToGuests(own)
  // The file is on a task elsewhere, and the board in another project.
  await showToGuests(others)
  await world.patch(`/v1/tasks/${own.id('task')}`, { assignee: own.id('user') })
  const guest = await join(owner, 'guest@client.example', 'guest', [own.id('project')])
  const user = (await guest.arrive()).user.id as string
  const token = await guest.token()
  await own.make(`/v1/boards/${own.id('board')}/members`, { user, role: 'editor' })
  const shared = new Set([own.id('user'), own.id('organization')])
  const ids = [...new Set(Object.values(others.ids))].filter((id) => /^[a-z]+_/.test(id) && !shared.has(id))
  // An entry of the guest's own inbox, about a task elsewhere.
  others.person = user
  const unheard = await others.fresh('notification')
  const foreign = Map.groupBy([...ids, unheard, ...(await besides(own))], (id) => id.slice(0, id.indexOf('_')))
  return { own, owner, guest, user, token, foreign }
}

/** What is in the guest's workspace or about it, but not in the project. */
async function besides(own: Things): Promise<string[]> {
  const workspace = own.id('workspace')
  const { id: project } = await own.make('/v1/projects', { workspace, name: 'Beside' })
  const { id: task } = await own.make('/v1/tasks', { workspace, project, title: 'Beside' })
  // A task that the guest sees is below one elsewhere.
  await own.world.patch(`/v1/tasks/${own.id('task')}`, { parent: task }, { key: own.key })
  own.person = own.id('user')
  const made = [
    await own.make('/v1/columns', { workspace, project, name: 'Later' }),
    await own.make(`/v1/tasks/${task}/comments`, { workspace, body: 'Unseen' }),
    await own.make('/v1/tasks', { workspace, title: 'In no project' }),
    await own.make('/v1/boards', { name: 'In no project' }),
    await own.make('/v1/boards', { name: 'Beside', project }),
  ]
  const others = ['saved_filter', 'other_workspace', 'member'].map((name) => own.id(name))
  const people = [await own.fresh('other_user'), await own.fresh('notification')]
  return [project, task, ...made.map(({ id }) => id as string), ...others, ...people]
}

/** Replaces the projects of a guest. */
export async function admit(owner: Visitor, user: string, projects: readonly string[]): Promise<void> {
  await owner.must('PATCH', `people/${user}`, { projects: [...new Set(projects)] })
}
