/**
 * What ended sessions of guests leave: their rows, and images that they added and nothing shows. What they have drawn stays,
 * with its images.
 */
import { isOneOf } from '../../db/dialect.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { BoardGuestRow, BoardLinkRow } from '../../db/schema.ts'
import type { Reader, Store } from '../../db/store.ts'
import { type BoardKey, readState } from '../../resources/board_items/scene/log.ts'
import { shownFiles } from '../../resources/board_items/scene/shown-files.ts'
import { linkById } from '../../resources/board_links/queries.ts'
import { worker_limits } from '../limits.ts'
import type { Worker } from '../worker.ts'

const endedBefore = query<BoardGuestRow, { before: number; count: number }>((db, p) =>
  db
    .selectFrom('board_guests')
    .selectAll()
    .where('expires_at', '<', p('before'))
    .orderBy('expires_at')
    .orderBy('id')
    .limit(p('count')),
)

const imagesOfGuests = query((db, p: Placeholder<{ realm: number; board: string; guests: string }>, dialect) =>
  db
    .selectFrom('board_images')
    .select('file')
    .where('realm', '=', p('realm'))
    .where('board', '=', p('board'))
    .where(isOneOf(dialect, 'guest', p('guests'))),
)

const removeImages = query((db, p: Placeholder<{ realm: number; board: string; files: string }>, dialect) =>
  db
    .deleteFrom('board_images')
    .where('realm', '=', p('realm'))
    .where('board', '=', p('board'))
    .where(isOneOf(dialect, 'file', p('files'))),
)

const removeGuests = query((db, p: Placeholder<{ realm: number; guests: string }>, dialect) =>
  db
    .deleteFrom('board_guests')
    .where('realm', '=', p('realm'))
    .where(isOneOf(dialect, 'id', p('guests'))),
)

/** Guests of one link, which leads to one board. */
interface Ended {
  readonly key: BoardKey
  readonly guests: string
  /** Images that nothing shows as of operation `head` of the board. */
  readonly files: readonly string[]
  readonly head: number | undefined
}

/** Removes at most `count` sessions that ended before `before` (milliseconds). Returns the number of links whose guests were removed. */
async function removeEndedGuests(store: Store, before: number, count: number): Promise<number> {
  const reader = store.reader('system')
  const rows = await reader.all(endedBefore, { before, count })
  const links = Map.groupBy(rows, ({ realm, link }) => `${realm} ${link}`)
  let removed = 0
  for (const guests of links.values()) {
    const ended = await lookAt(reader, guests)
    if (await remove(store, ended)) removed += 1
  }
  return removed
}

async function lookAt(reader: Reader, rows: readonly BoardGuestRow[]): Promise<Ended> {
  const [{ realm, link }] = rows as [BoardGuestRow, ...BoardGuestRow[]]
  const { board = '' } = (await reader.first(linkById, { realm, id: link })) ?? ({} as Partial<BoardLinkRow>)
  const key = { realm, board }
  const guests = JSON.stringify(rows.map(({ id }) => id))
  const head = (await readState(reader, key))?.head
  const added = (await reader.all(imagesOfGuests, { ...key, guests })).map(({ file }) => file)
  const shown = added.length === 0 ? new Set() : await shownFiles(reader, key)
  return { key, guests, files: added.filter((file) => !shown.has(file)), head }
}

/** False if the board has been drawn on since: its guests are looked at again. */
async function remove(store: Store, { key, guests, files, head }: Ended): Promise<boolean> {
  return await store.write('system', async (tx) => {
    if (files.length > 0 && (await readState(tx, key))?.head !== head) return false
    if (files.length > 0) tx.write(removeImages, { ...key, files: JSON.stringify(files) })
    tx.write(removeGuests, { realm: key.realm, guests })
    return true
  })
}

export const boardGuestSweep: Worker = {
  name: 'board_guest_sweep',
  does: 'Removes the sessions of guests of links a day after their end, with the images that they added and no element shows.',
  period_ms: 60_000,
  lease_ms: 60_000,
  batch_max: 100,
  run: ({ store, clock }, count) => removeEndedGuests(store, clock.now() - worker_limits.board_guest_kept_ms, count),
}
