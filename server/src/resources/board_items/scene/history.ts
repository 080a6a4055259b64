/**
 * The history of a board: the versions that the server keeps by itself and those that people name. Restoring one is a change like
 * any other, so it can be undone by restoring the one before it.
 */

import type { Caller } from '../../../api/declare/caller.ts'
import { refuse } from '../../../api/declare/errors.ts'
import { requireLive } from '../../../api/request/target.ts'
import type { Services } from '../../../api/services.ts'
import { type Author, commitSystemChange } from '../../../api/write/system-change.ts'
import { type Placeholder, query } from '../../../db/query.ts'
import type { BoardVersionRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { requireEditor } from '../../board_members/shared/access.ts'
import { boardNoun } from '../../boards/board.ts'
import { replacement } from './element.ts'
import { appendChange, openScene, readState } from './log.ts'
import type { SceneElement } from './merge.ts'
import { keepVersion, publishScene } from './publish-scene.ts'

const versionsOf = query((db, p: Placeholder<{ realm: number; board: string }>) =>
  db
    .selectFrom('board_versions')
    .select(['sequence', 'created', 'name', 'author', 'guest', 'item_count'])
    .where('realm', '=', p('realm'))
    .where('board', '=', p('board'))
    .orderBy('sequence', 'desc'),
)

const versionOf = query<BoardVersionRow, { realm: number; board: string; sequence: number }>((db, p) =>
  db
    .selectFrom('board_versions')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('board', '=', p('board'))
    .where('sequence', '=', p('sequence')),
)

/** The versions of a board, newest first. */
export async function listVersions(reader: Reader, realm: number, board: string) {
  return await reader.all(versionsOf, { realm, board })
}

type Writing = Pick<Services, 'store' | 'clock' | 'committed'>

function about(caller: Caller, action: string, author: Author) {
  const { organization, realm, mode } = caller
  return { organization, realms: [{ realm, mode }], action, ...author }
}

/** Keeps the board as it is now under a name. Returns the number of the version. */
export async function nameVersion(services: Writing, caller: Caller, id: string, name: string, author: Author) {
  return await commitSystemChange(services, about(caller, 'boards.version', author), async ({ tx, now, note }) => {
    const board = await requireLive(boardNoun, tx, caller, id)
    await requireEditor(tx, caller, board)
    const scene = await openScene(tx, board, now)
    note({ room: board.id, target: { object: 'board', id: board.id } })
    const shown = scene.shownElements()
    const key = { realm: caller.realm, board: board.id }
    await keepVersion(tx, key, { scene, shown, author: author.actor.id, name }, now)
    return scene.sequence
  })
}

/** Makes a version the content of the board again, for everyone on it. */
export async function restoreVersion(
  services: Writing,
  caller: Caller,
  id: string,
  sequence: number,
  author: Author,
): Promise<void> {
  await commitSystemChange(
    services,
    about(caller, 'boards.restore_version', author),
    async ({ tx, now, emit, note }) => {
      const board = await requireLive(boardNoun, tx, caller, id)
      await requireEditor(tx, caller, board)
      const key = { realm: caller.realm, board: board.id }
      const version = await tx.first(versionOf, { ...key, sequence })
      if (version === undefined) {
        throw refuse('resource_not_found', { param: 'sequence', message: `The board has no version ${sequence}.` })
      }
      note({ room: board.id })
      const scene = await openScene(tx, board, now)
      const elements = replacement(scene, JSON.parse(version.elements) as SceneElement[], now)
      const state = { pending_since: (await readState(tx, key))?.pending_since ?? null }
      appendChange(tx, key, scene, state, { author: author.actor.id, elements, isReplacement: true }, now)
      await publishScene({ tx, now, emit }, board, scene, author.actor.id)
    },
  )
}
