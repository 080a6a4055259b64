/** A guest of one project, for the tests that walk over every operation. */
import type { Operation } from '../src/api/declare/operation.ts'
import type { Visitor } from './console/visitor.ts'
import type { Things, ValidCall } from './things.ts'

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

/** Replaces the projects of a guest. */
export async function admit(owner: Visitor, user: string, projects: readonly string[]): Promise<void> {
  await owner.must('PATCH', `people/${user}`, { projects: [...new Set(projects)] })
}
