/** The images of a board. Their bytes are stored once per realm, under their SHA-256; elements name the id of a file. */
import { type Placeholder, query } from '../../../db/query.ts'
import type { BoardImageRow } from '../../../db/schema.ts'
import type { Reader, Tx } from '../../../db/store.ts'
import type { Asset } from '../excalidraw.ts'
import { keepAssets } from '../publish-snapshot.ts'
import type { BoardKey } from './log.ts'

const imagesOf = query((db, p: Placeholder<{ realm: number; board: string }>) =>
  db
    .selectFrom('board_images')
    .innerJoin('board_assets', (join) =>
      join
        .onRef('board_assets.realm', '=', 'board_images.realm')
        .onRef('board_assets.sha256', '=', 'board_images.sha256'),
    )
    .select(['board_images.file', 'board_assets.sha256', 'board_assets.media_type', 'board_assets.size_bytes'])
    .where('board_images.realm', '=', p('realm'))
    .where('board_images.board', '=', p('board')),
)

/** The images of a board by the id of their file, without their bytes. */
export async function readImages(reader: Reader, key: BoardKey): Promise<Map<string, Asset>> {
  const rows = await reader.all(imagesOf, { ...key })
  return new Map(rows.map(({ file, ...asset }) => [file, { ...asset, bytes: null }]))
}

const nameImage = query((db, p: Placeholder<{ [Name in keyof BoardImageRow]: BoardImageRow[Name] }>) =>
  db
    .insertInto('board_images')
    .values({
      ...{ realm: p('realm'), board: p('board'), file: p('file'), sha256: p('sha256'), created: p('created') },
      guest: p('guest'),
    })
    .onConflict((conflict) => conflict.columns(['realm', 'board', 'file']).doUpdateSet({ sha256: p('sha256') })),
)

/** Stores images of a board by the ids of their files. `guest` is the guest of a link who adds them. */
export function keepImages(
  tx: Tx,
  key: BoardKey,
  assets: ReadonlyMap<string, Asset>,
  now: number,
  guest: string | null = null,
): void {
  keepAssets(tx, key.realm, assets, now)
  for (const [file, { sha256 }] of assets) tx.write(nameImage, { ...key, file, sha256, created: now, guest })
}

const imageOf = query((db, p: Placeholder<{ realm: number; board: string; file: string }>) =>
  db
    .selectFrom('board_images')
    .innerJoin('board_assets', (join) =>
      join
        .onRef('board_assets.realm', '=', 'board_images.realm')
        .onRef('board_assets.sha256', '=', 'board_images.sha256'),
    )
    .select(['board_assets.media_type', 'board_assets.bytes'])
    .where('board_images.realm', '=', p('realm'))
    .where('board_images.board', '=', p('board'))
    .where('board_images.file', '=', p('file')),
)

/** One image of a board; `bytes` is base64. */
export async function readImage(reader: Reader, key: BoardKey, file: string) {
  return await reader.first(imageOf, { ...key, file })
}
