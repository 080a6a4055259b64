/**
 * Publishes what people have drawn as the next snapshot, so that the contract's reads show whole states of the board. Invariant:
 * a snapshot contains every operation up to the one that it was made at; one that changes no item creates no revision.
 */

import { sql } from 'kysely'
import type { Services } from '../../../api/services.ts'
import { commitSystemChange } from '../../../api/write/system-change.ts'
import { type Placeholder, query, rawQuery } from '../../../db/query.ts'
import type { BoardRow, BoardVersionRow } from '../../../db/schema.ts'
import type { Tx } from '../../../db/store.ts'
import { nameOfGuest } from '../../board_links/shared/guests.ts'
import type { Board } from '../../boards/board.ts'
import { boardNoun } from '../../boards/board.ts'
import { boardSnapshotPublished } from '../../boards/events.ts'
import { type BoardWork, changeBoard } from '../../boards/shared/change.ts'
import { readObject } from '../excalidraw/fields.ts'
import type { Asset, Drawing } from '../excalidraw.ts'
import { publish } from '../publish-snapshot.ts'
import { elementOf } from './element.ts'
import { readImages } from './images.ts'
import { scene_limits } from './limits.ts'
import { type BoardKey, foldScene, lastAuthor, readScene } from './log.ts'
import type { SceneElement } from './merge.ts'
import type { Scene } from './scene.ts'

/** What a scene shows, as if it had been read from a file. */
function drawingOf(elements: readonly SceneElement[], assets: ReadonlyMap<string, Asset>): Drawing {
  return { elements: elements.map((raw, i) => elementOf(readObject(raw, `elements[${i}]`))), assets }
}

/** Publishes the scene in an open transaction. Returns the board, changed or not. */
export async function publishScene(
  work: BoardWork,
  board: BoardRow,
  scene: Scene,
  author: string | null,
): Promise<Board> {
  const published = await publishElements(work.tx, board, scene, author, work.now)
  return changeBoard(work, board, published ?? {}, boardSnapshotPublished)
}

/** The same without the change of the board's row, whose new fields it returns; null if nothing changed. */
export async function publishElements(tx: Tx, board: BoardRow, scene: Scene, author: string | null, now: number) {
  const key = { realm: board.realm, board: board.id }
  const shown = scene.shownElements()
  const published = await publish(tx, board, drawingOf(shown, await readImages(tx, key)), now)
  const kept = scene.elements().filter((element) => !element.isDeleted || isRecent(element, now))
  foldScene(tx, key, scene, kept, now - scene_limits.operations_kept_ms)
  if (published !== null) await keepVersion(tx, key, { scene, shown, author, name: null }, now)
  return published
}

function isRecent({ updated }: SceneElement, now: number): boolean {
  return typeof updated === 'number' && updated > now - scene_limits.deleted_kept_ms
}

const versionsOf = query((db, p: Placeholder<{ realm: number; board: string }>) =>
  db
    .selectFrom('board_versions')
    .select(['sequence', 'created', 'name'])
    .where('realm', '=', p('realm'))
    .where('board', '=', p('board'))
    .orderBy('sequence', 'desc'),
)

const removeVersion = query((db, p: Placeholder<{ realm: number; board: string; sequence: number }>) =>
  db
    .deleteFrom('board_versions')
    .where('realm', '=', p('realm'))
    .where('board', '=', p('board'))
    .where('sequence', '=', p('sequence')),
)

interface NewVersion {
  readonly scene: Scene
  readonly shown: readonly SceneElement[]
  /** Who makes the version; null for one that the server keeps by itself, which shows who drew last. */
  readonly author: string | null
  readonly name: string | null
}

/** Adds a version to the history. It replaces an older one without a name of the same interval. */
export async function keepVersion(tx: Tx, key: BoardKey, version: NewVersion, now: number): Promise<void> {
  const versions = await tx.all(versionsOf, { ...key })
  const interval = (time: number) => Math.floor(time / scene_limits.version_interval_ms)
  const unnamed = versions.filter(({ name }) => name === null)
  const replaced = unnamed.filter(
    ({ created, sequence }, i) =>
      sequence === version.scene.sequence || interval(created) === interval(now) || i >= scene_limits.versions_max - 1,
  )
  const same = versions.find(({ sequence }) => sequence === version.scene.sequence)
  if (same !== undefined && same.name !== null && version.name === null) return
  const gone = new Set(replaced.map(({ sequence }) => sequence))
  if (same !== undefined) gone.add(same.sequence)
  for (const sequence of gone) tx.write(removeVersion, { ...key, sequence })
  const author = version.author ?? (await lastAuthor(tx, key))
  const row: BoardVersionRow = {
    ...key,
    sequence: version.scene.sequence,
    created: now,
    name: version.name,
    author,
    guest: await nameOfGuest(tx, key.realm, author),
    item_count: version.shown.length,
    elements: JSON.stringify(version.shown),
  }
  tx.insert('board_versions', row)
}

const dueScenes = rawQuery(
  (p: Placeholder<{ rest: number; wait: number; count: number }>) => sql<{
    realm: number
    board: string
    organization: string
    mode: string
  }>`select s.realm, s.board, r.organization, r.mode from board_scenes s join realms r on r.realm = s.realm
    where s.pending_since is not null and (s.changed_at <= ${p('rest')} or s.pending_since <= ${p('wait')})
    order by s.pending_since limit ${p('count')}`,
)

/** Publishes up to `count` boards whose changes are due. Returns the number. */
export async function publishDueScenes(
  services: Pick<Services, 'store' | 'clock' | 'committed' | 'log'>,
  count: number,
  stop: AbortSignal,
): Promise<number> {
  const now = services.clock.now()
  const due = { rest: now - scene_limits.publish_rest_ms, wait: now - scene_limits.publish_wait_ms, count }
  let published = 0
  for (const { realm, board, organization, mode } of await services.store.reader('system').all(dueScenes, due)) {
    if (stop.aborted) break
    const about = { organization, realms: [{ realm, mode: mode as 'live' | 'test' }], action: 'boards.publish' }
    try {
      await commitSystemChange(services, about, async ({ tx, now: at, emit, note }) => {
        const row = await boardNoun.find(tx, { organization, realm }, board)
        const scene = await readScene(tx, { realm, board })
        if (row === undefined || scene === undefined) return
        note({ room: board })
        await publishScene({ tx, now: at, emit }, row, scene, null)
      })
      published++
    } catch (error) {
      // One board does not keep the others from being published.
      services.log.error('a board could not be published', { board, error: String(error) })
    }
  }
  return published
}
