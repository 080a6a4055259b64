/** Checks the event log against the state: folding the events gives exactly what GET returns. */
import assert from 'node:assert/strict'
import { type Placeholder, query } from '../src/db/query.ts'
import type { Reader } from '../src/db/store.ts'
import type { Reply } from './call.ts'

const allEvents = query((db, p: Placeholder<{ realm: number }>) =>
  db.selectFrom('events').select(['type', 'data']).where('realm', '=', p('realm')).orderBy('sequence'),
)

/** A world, or a server that the test did not start. */
export interface Folded {
  readonly services: { readonly store: { reader(scope: 'system'): Reader } }
  readonly acme: { readonly realms: { readonly live: number } }
  get(path: string): Promise<Reply>
}

type Shown = Readonly<Record<string, unknown>> & { readonly id: string; readonly object: string }

const paths: Readonly<Record<string, string>> = {
  workspace: '/v1/workspaces',
  project: '/v1/projects',
  portfolio: '/v1/portfolios',
  column: '/v1/columns',
  custom_field: '/v1/custom_fields',
  task: '/v1/tasks',
  board: '/v1/boards',
}

/** Deleting a board archives it: it can be restored, and GET still returns it. */
const archiving = 'whiteboard.board.deleted'

/**
 * Asserts for every object in the events of Acme's live realm that GET returns it exactly as its last event left it, or 410 if
 * that was its deletion, and that the `previous_attributes` of each event lead back to the event before. Returns the number of
 * objects requested.
 */
export async function assertFolds(world: Folded): Promise<number> {
  const rows = await world.services.store.reader('system').all(allEvents, { realm: world.acme.realms.live })
  const folded = new Map<string, { readonly object: Shown; readonly deleted: boolean; readonly archived: boolean }>()
  for (const { type, data } of rows) {
    const { object, previous_attributes } = JSON.parse(data) as { object: Shown; previous_attributes: object | null }
    const earlier = folded.get(object.id)
    // A restored board continues from the state at its deletion, which no event shows.
    if (earlier !== undefined && type !== 'whiteboard.board.restored')
      assert.deepEqual({ ...object, ...previous_attributes }, earlier.object, type)
    folded.set(object.id, {
      object,
      deleted: type.endsWith('.deleted') && type !== archiving,
      archived: type === archiving,
    })
  }
  let asked = await assertMembers(world, [...folded.values()])
  for (const { object, deleted, archived } of folded.values()) {
    const path = pathOf(object)
    if (path === undefined) continue
    asked++
    const reply = await world.get(`${path}/${object.id}`)
    if (deleted) assert.equal(reply.body.error?.code, 'resource_deleted', object.id)
    else if (archived) assert.equal(reply.body.status, 'archived', object.id)
    else assert.deepEqual(reply.body, object)
  }
  return asked
}

function pathOf({ object, task, board }: Shown): string | undefined {
  if (object === 'comment') return `/v1/tasks/${task}/comments`
  return object === 'board_comment' ? `/v1/boards/${board}/comments` : paths[object]
}

/** Board members have no GET of their own; the list of their board returns them. */
async function assertMembers(
  world: Folded,
  folded: readonly { readonly object: Shown; readonly deleted: boolean }[],
): Promise<number> {
  const boards = Map.groupBy(
    folded.filter(({ object }) => object.object === 'board_member'),
    ({ object }) => String(object.board),
  )
  for (const [board, members] of boards) {
    const standing = members.filter(({ deleted }) => !deleted).map(({ object }) => object)
    const { body } = await world.get(`/v1/boards/${board}/members?limit=100`)
    assert.deepEqual(
      body.data,
      standing.sort((a, b) => (a.id < b.id ? 1 : -1)),
    )
  }
  return boards.size
}
