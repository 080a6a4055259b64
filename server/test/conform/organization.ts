/** An organization as operators leave it: with what the API shows and cannot make. */
import { importBoard } from '../../src/resources/board_items/import.ts'
import { addMember } from '../../src/resources/members/write.ts'
import { addSavedFilter } from '../../src/resources/saved_filters/write.ts'
import { addTaskTemplate } from '../../src/resources/task_templates/write.ts'
import { addTeam } from '../../src/resources/teams/write.ts'
import { fillInboxes } from '../inbox.ts'
import type { World } from '../world.ts'

/** Fills the test data of Acme. */
export async function fill(world: World): Promise<void> {
  const { services, acme } = world
  const realm = { organization: acme.id, realm: acme.realms.test, mode: 'test' as const }
  const make = (path: string, body: object) => world.make(path, body, { key: acme.testKey })
  const bob = await addMember(services, acme.id, { email: 'bob@acme.example', first_name: 'Bob', role: 'engineer' })
  const workspace = (await make('/v1/workspaces', { title: 'Ours' })).id
  const board = (await make('/v1/boards', { name: 'Map' })).id
  await importBoard(services, { ...realm, board, file: drawing(5) })
  for (const name of ['One', 'Two', 'Three']) {
    await addTeam(services, acme.id, { name, description: 'A team' })
    await addSavedFilter(services, { ...realm, workspace, name, filter: 'priority = high' })
    await addTaskTemplate(services, { ...realm, workspace, name, defaults: { title: 'Cut the release' } })
  }
  // An own act is in no inbox.
  const { secret: key } = await world.key({ mode: 'test', owner: { type: 'user', id: bob.user } })
  const { id: task } = await make('/v1/tasks', { workspace, title: 'Fold the map' })
  await make(`/v1/tasks/${task}/watch`, { level: 'watching' })
  for (const body of ['How?', 'Along the creases.']) {
    await world.make(`/v1/tasks/${task}/comments`, { workspace, body }, { key })
  }
  await fillInboxes(services)
}

function drawing(boxes: number): Buffer {
  const box = { type: 'rectangle', y: 0, width: 8, height: 8, angle: 0 }
  const elements = Array.from({ length: boxes }, (_, i) => ({ ...box, id: `box${i}`, x: i * 10 }))
  return Buffer.from(JSON.stringify({ type: 'excalidraw', version: 2, elements }))
}
