/** Objects that wrong requests name in addition to those of every world, and how a valid call is made wrong. */
import assert from 'node:assert/strict'
import { newId } from '../../src/lib/ids.ts'
import { addMember } from '../../src/resources/members/write.ts'
import type { Things, ValidCall } from '../things.ts'
import type { Wrong } from './wrong-requests/wrong.ts'

/** Creates the additional objects. Returns name → id. */
export async function wrongThings(things: Things): Promise<Record<string, string>> {
  const { world } = things
  const ids: Record<string, string> = {}
  const now = world.clock.now()
  const workspace = things.id('workspace')
  ids.never_organization = newId('org', now)
  ids.never_key = newId('key', now)
  ids.other_workspace = await things.fresh('workspace')
  const elsewhere = { workspace: ids.other_workspace, name: 'Elsewhere' }
  ids.other_portfolio = (await things.make('/v1/portfolios', elsewhere)).id
  ids.foreign_workspace_project = (await things.make('/v1/projects', elsewhere)).id
  ids.archived_project = await things.fresh('other_project')
  const inArchive = { workspace, title: 'Filed', project: ids.archived_project }
  ids.archived_task = (await things.make('/v1/tasks', inArchive)).id
  await things.make(`/v1/projects/${ids.archived_project}/archive`, {})
  ids.rated_project = await things.fresh('other_project')
  const place = { workspace, project: ids.rated_project }
  ids.other_column = (await things.make('/v1/columns', { ...place, name: 'Elsewhere' })).id
  ids.elsewhere_task = (await things.make('/v1/tasks', { ...place, title: 'Elsewhere' })).id
  const rate = { workspace, scope: 'project', target: ids.rated_project, currency: 'EUR', amount_minor: 1 }
  await things.make('/v1/billing_rates', rate)
  ids.dependent_task = await things.fresh('task')
  ids.blocking_task = await things.fresh('task')
  const task = things.id('task')
  await things.make(`/v1/tasks/${task}/dependencies`, { workspace, to: ids.dependent_task, kind: 'blocks' })
  await things.make(`/v1/tasks/${ids.blocking_task}/dependencies`, { workspace, to: task, kind: 'blocks' })
  const member = { email: 'gone@example.com', status: 'inactive' } as const
  ids.inactive_user = (await addMember(world.services, world.acme.id, member)).user
  const gone = {
    key: '/v1/api_keys/',
    project: '/v1/projects/',
    portfolio: '/v1/portfolios/',
    column: '/v1/columns/',
    custom_field: '/v1/custom_fields/',
    file: '/v1/files/',
    task: '/v1/tasks/',
    comment: `/v1/tasks/${task}/comments/`,
    time_entry: '/v1/time_entries/',
  }
  for (const [name, path] of Object.entries(gone)) {
    const id = await things.fresh(name === 'key' ? 'api_key' : name)
    if (name === 'task') ids.deleted_task_key = (await things.send('GET', path + id)).body.key
    assert.equal((await things.send('DELETE', path + id)).status, 200, name)
    ids[`deleted_${name}`] = id
  }
  ids.archived_board = await things.fresh('board')
  const drawn = await things.make(`/v1/boards/${ids.archived_board}/items`, { items: [{ type: 'text', text: 'Kept' }] })
  ids.archived_board_item = String((drawn as unknown as { data: readonly { id: string }[] }).data[0]?.id)
  await things.send('DELETE', `/v1/boards/${ids.archived_board}`)
  return ids
}

/** A valid call with one fault. */
export function spoilCall(
  call: ValidCall,
  { place, set }: Wrong,
  things: Things,
  ids: Readonly<Record<string, string>>,
): ValidCall {
  const text = JSON.stringify({ ...(call[place] as object), ...set })
  const id = (name: string) => ids[name] ?? things.id(name)
  const filled = text.replaceAll(/\{([a-z][a-z_]*)\}/g, (_all, name) => id(name))
  return { ...call, [place]: JSON.parse(filled) }
}
