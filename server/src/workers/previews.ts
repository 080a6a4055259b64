/**
 * Previews of uploaded images. A content is looked at once, after its upload, or again after a restore. The preview is stored
 * before the row names it; if a process ends in between, the collection of unreferenced content removes it.
 */
import { buffer } from 'node:stream/consumers'
import type { Services } from '../api/services.ts'
import { type Placeholder, query } from '../db/query.ts'
import { ContentUnavailable, newContentKey } from '../files/content-store.ts'
import { file_limits } from '../files/limits.ts'
import { isPreviewable, Previewer } from '../files/previewer.ts'
import type { Worker } from './worker.ts'

interface Waiting {
  readonly realm: number
  readonly sha256: string
  readonly key: string
  readonly bytes: number
}

const oldest = query<Waiting, { count: number }>((db, p) =>
  db
    .selectFrom('file_contents')
    .select(['realm', 'sha256', 'key', 'bytes'])
    .where('previewed_at', 'is', null)
    .orderBy('realm')
    .orderBy('sha256')
    .limit(p('count')),
)

/** Names the content by its key: it may have been collected, and uploaded again, since the row was read. */
const setPreview = query(
  (db, p: Placeholder<{ realm: number; sha256: string; key: string; preview_key: string | null; now: number }>) =>
    db
      .updateTable('file_contents')
      .set({ preview_key: p('preview_key'), previewed_at: p('now') })
      .where('realm', '=', p('realm'))
      .where('sha256', '=', p('sha256'))
      .where('key', '=', p('key'))
      .where('previewed_at', 'is', null),
)

const previewers = new WeakMap<Services, Previewer>()

export const filePreviews: Worker = {
  name: 'file_previews',
  does: 'Makes small images of uploaded ones.',
  period_ms: 10_000,
  wakeUp: 'files',
  lease_ms: 120_000,
  batch_max: 10,
  async run(services, count, stop) {
    const previewer = previewers.get(services) ?? new Previewer()
    previewers.set(services, previewer)
    const waiting = await services.store.reader('system').all(oldest, { count })
    let done = 0
    for (const content of waiting) {
      if (stop.aborted) break
      await previewOne(services, previewer, content)
      done += 1
    }
    return done
  },
  async end(services) {
    await previewers.get(services)?.close()
    previewers.delete(services)
  },
}

/** A service that does not answer ends the run; content that is missing has no preview. */
async function previewOne(services: Services, previewer: Previewer, content: Waiting): Promise<void> {
  const { files, store, clock } = services
  const { realm, sha256, key, bytes } = content
  const image = await readImage(files.store.read.bind(files.store), key, bytes)
  const preview = image === null ? null : await previewer.make(image)
  const preview_key = preview === null ? null : newContentKey(realm, sha256, clock.now())
  if (preview !== null && preview_key !== null) await keepPreview(services, preview_key, preview)
  const bound = { realm, sha256, key, preview_key, now: clock.now() }
  const isNamed = await store.write('system', async (tx) => (await tx.run(setPreview, bound)) > 0)
  if (!isNamed && preview_key !== null) await files.store.remove(preview_key)
}

async function keepPreview({ files }: Services, key: string, preview: Buffer): Promise<void> {
  const writer = await files.uploads.begin()
  try {
    await writer.write(preview)
    const upload = await writer.finish()
    await files.store.put(key, upload)
    await upload.discard()
  } catch (error) {
    await writer.abort()
    throw error
  }
}

type Read = Services['files']['store']['read']

/** The whole content of an image within the limits; null for anything else. */
async function readImage(read: Read, key: string, bytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
  if (bytes === 0 || bytes > file_limits.preview_bytes_max) return null
  const head = await read(key, 0, Math.min(bytes, file_limits.file_head_bytes) - 1)
  if (head === null || !isPreviewable(await collected(head), bytes)) return null
  const whole = await read(key, 0, bytes - 1)
  return whole === null ? null : new Uint8Array(await collected(whole))
}

async function collected(stream: Parameters<typeof buffer>[0]): Promise<Buffer> {
  try {
    return await buffer(stream)
  } catch (error) {
    throw new ContentUnavailable('the content ended early', { cause: error })
  }
}
