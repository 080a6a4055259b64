/**
 * The images of a board. Their bytes are a content, as those of files (`files/shared/contents.ts`), stored once per realm under their
 * SHA-256; elements name the id of an image. Images of version 0.1.0 have their bytes in their row.
 */
import type { UploadedContent } from '../../../api/declare/operation.ts'
import type { Services } from '../../../api/services.ts'
import { withContents } from '../../../api/write/upload.ts'
import { isOneOf } from '../../../db/dialect.ts'
import { type Placeholder, query } from '../../../db/query.ts'
import type { BoardAssetRow, BoardImageRow } from '../../../db/schema.ts'
import type { Reader, Tx } from '../../../db/store.ts'
import { addBytes, dereferenceContent, image_in_content, referenceContent } from '../../files/shared/contents.ts'
import { requireRoom } from '../../files/shared/create.ts'
import type { Asset } from '../excalidraw.ts'
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

/** The new time protects the image from a sweep that does not see yet where it is shown. */
const offerAgain = query((db, p: Placeholder<{ realm: number; sha256: string; offered_at: number }>) =>
  db
    .updateTable('board_assets')
    .set({ offered_at: p('offered_at') })
    .where('realm', '=', p('realm'))
    .where('sha256', '=', p('sha256')),
)

const addAsset = query((db, p: Placeholder<{ [Name in keyof BoardAssetRow]: BoardAssetRow[Name] }>) =>
  db
    .insertInto('board_assets')
    .values({
      ...{ realm: p('realm'), sha256: p('sha256'), media_type: p('media_type'), size_bytes: p('size_bytes') },
      ...{ offered_at: p('offered_at'), bytes: p('bytes') },
    })
    .onConflict((conflict) => conflict.columns(['realm', 'sha256']).doNothing()),
)

/** Images by the ids of their files, whose bytes are durable. */
export interface DurableImages {
  readonly assets: ReadonlyMap<string, Asset>
  /** By SHA-256. */
  readonly contents: ReadonlyMap<string, UploadedContent>
  /** All files of the realm and images of its boards. */
  readonly organization_bytes_max: number
}

/** Makes the bytes of images durable for `use`, which stores the images, and removes afterwards what no row names. */
export async function withImages<T>(
  services: Pick<Services, 'files' | 'clock' | 'log'>,
  realm: number,
  assets: ReadonlyMap<string, Asset>,
  use: (images: DurableImages) => Promise<T>,
): Promise<T> {
  const once = new Map([...assets.values()].map(({ sha256, bytes }) => [sha256, bytes]))
  const sent = [...once.values()].flatMap((bytes) => (bytes === null ? [] : [Buffer.from(bytes, 'base64')]))
  return await withContents(services, realm, sent, async (uploads) => {
    const contents = new Map(uploads.map((upload) => [upload.content.sha256, upload]))
    return await use({ assets, contents, organization_bytes_max: services.files.settings.organization_bytes_max })
  })
}

const storedAssets = query<{ sha256: string }, { realm: number; hashes: string }>((db, p, dialect) =>
  db
    .selectFrom('board_assets')
    .select('sha256')
    .where('realm', '=', p('realm'))
    .where(isOneOf(dialect, 'sha256', p('hashes'))),
)

/** Refuses (409) images with which the organization's files would be over their limit. Images that are stored already count once. */
export async function requireRoomForImages(
  reader: Reader,
  realm: number,
  { contents, organization_bytes_max }: DurableImages,
): Promise<void> {
  if (contents.size === 0) return
  const stored = await reader.all(storedAssets, { realm, hashes: JSON.stringify([...contents.keys()]) })
  const known = new Set(stored.map(({ sha256 }) => sha256))
  const added = contents.values().filter(({ content }) => !known.has(content.sha256))
  const bytes = added.reduce((sum, { content }) => sum + content.bytes, 0)
  if (bytes > 0) await requireRoom(reader, realm, bytes, organization_bytes_max)
}

/**
 * Stores images of a board by the ids of their files, and counts new ones with the files of the organization. Refuses (409) images
 * for which it has no room. `guest` is the guest of a link who adds them.
 */
export async function keepImages(
  tx: Tx,
  key: BoardKey,
  images: DurableImages,
  now: number,
  guest: string | null = null,
): Promise<void> {
  await requireRoomForImages(tx, key.realm, images)
  // In the order of the sweep, so that on PostgreSQL neither holds an image that the other waits for.
  const inOrder = [...images.contents].toSorted(([a], [b]) => (a < b ? -1 : 1))
  for (const [, upload] of inOrder) await keepAsset(tx, key.realm, upload, images.assets, now)
  for (const [file, { sha256 }] of images.assets) tx.write(nameImage, { ...key, file, sha256, created: now, guest })
}

async function keepAsset(
  tx: Tx,
  realm: number,
  upload: UploadedContent,
  assets: DurableImages['assets'],
  now: number,
): Promise<void> {
  const { sha256, bytes } = upload.content
  if ((await tx.run(offerAgain, { realm, sha256, offered_at: now })) > 0) return
  const asset = assets.values().find((each) => each.sha256 === sha256)
  if (asset === undefined) throw new Error('a content belongs to no image')
  await referenceContent(tx, realm, upload, now)
  const { media_type, size_bytes } = asset
  const row = { realm, sha256, media_type, size_bytes, offered_at: now, bytes: image_in_content }
  if ((await tx.run(addAsset, row)) > 0) addBytes(tx, realm, bytes)
}

const imageOf = query((db, p: Placeholder<{ realm: number; board: string; file: string }>) =>
  db
    .selectFrom('board_images')
    .innerJoin('board_assets', (join) =>
      join
        .onRef('board_assets.realm', '=', 'board_images.realm')
        .onRef('board_assets.sha256', '=', 'board_images.sha256'),
    )
    .leftJoin('file_contents', (join) =>
      join
        .onRef('file_contents.realm', '=', 'board_images.realm')
        .onRef('file_contents.sha256', '=', 'board_images.sha256'),
    )
    .select(['board_assets.media_type', 'board_assets.size_bytes', 'board_assets.bytes', 'file_contents.key'])
    .where('board_images.realm', '=', p('realm'))
    .where('board_images.board', '=', p('board'))
    .where('board_images.file', '=', p('file')),
)

/** One image of a board as a data URL; null if the board has none with this id. Rejects with ContentUnavailable. */
export async function readImage(
  { files }: Pick<Services, 'files'>,
  reader: Reader,
  key: BoardKey,
  file: string,
): Promise<string | null> {
  const image = await reader.first(imageOf, { ...key, file })
  if (image === undefined) return null
  return `data:${image.media_type};base64,${image.bytes === image_in_content ? await readContent(files, image) : image.bytes}`
}

/** In base64. */
async function readContent(
  files: Services['files'],
  { key, size_bytes }: { readonly key: string | null; readonly size_bytes: number },
): Promise<string> {
  if (key === null) throw new Error('an image of a board has no content')
  const pieces = await (await files.read(key, 0, size_bytes - 1)).toArray()
  return Buffer.concat(pieces as Buffer[]).toString('base64')
}

const unshown = query((db, p: Placeholder<{ before: number; count: number }>) =>
  db
    .selectFrom('board_assets')
    .select(['realm', 'sha256', 'size_bytes', 'bytes'])
    .where('offered_at', '<', p('before'))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('board_items')
            .select('board_items.realm')
            .whereRef('board_items.realm', '=', 'board_assets.realm')
            .whereRef('board_items.asset', '=', 'board_assets.sha256'),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('board_images')
            .select('board_images.realm')
            .whereRef('board_images.realm', '=', 'board_assets.realm')
            .whereRef('board_images.sha256', '=', 'board_assets.sha256'),
        ),
      ),
    )
    .limit(p('count')),
)

/** An image may have been offered again since the row was read. */
const removeAsset = query((db, p: Placeholder<{ realm: number; sha256: string; before: number }>) =>
  db
    .deleteFrom('board_assets')
    .where('realm', '=', p('realm'))
    .where('sha256', '=', p('sha256'))
    .where('offered_at', '<', p('before')),
)

/** Removes at most `count` images that were last sent before `before` and that no item shows, also in older snapshots. */
export async function removeUnshown(tx: Tx, before: number, count: number, now: number): Promise<number> {
  const rows = await tx.all(unshown, { before, count })
  let removed = 0
  for (const { realm, sha256, size_bytes, bytes } of rows.toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1))) {
    if ((await tx.run(removeAsset, { realm, sha256, before })) === 0) continue
    removed += 1
    if (bytes !== image_in_content) continue
    await dereferenceContent(tx, { realm, sha256 }, now)
    addBytes(tx, realm, -size_bytes)
  }
  return removed
}
