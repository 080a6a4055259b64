/**
 * Collection of content without a file (contract/14#file). Rows go first: content is removed only when no row can name its key
 * again. If a process ends in between, the walk over all stored content finds what was left.
 */

import { rm } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import type { Services } from '../../api/services.ts'
import { type Placeholder, query } from '../../db/query.ts'
import { readContentKey } from '../../files/content-store.ts'
import { file_limits } from '../../files/limits.ts'
import { findContent } from '../../resources/files/shared/contents.ts'
import type { Worker } from '../worker.ts'

interface Unreferenced {
  readonly realm: number
  readonly sha256: string
  readonly key: string
  readonly preview_key: string | null
}

const oldest = query<Unreferenced, { before: number; count: number }>((db, p) =>
  db
    .selectFrom('file_contents')
    .select(['realm', 'sha256', 'key', 'preview_key'])
    .where('unreferenced_at', '<=', p('before'))
    .orderBy('unreferenced_at')
    .limit(p('count')),
)

/** A file may have got the content since the row was read. */
const remove = query((db, p: Placeholder<{ realm: number; sha256: string; before: number }>) =>
  db
    .deleteFrom('file_contents')
    .where('realm', '=', p('realm'))
    .where('sha256', '=', p('sha256'))
    .where('unreferenced_at', '<=', p('before')),
)

/** Removes content whose last file was deleted a day ago. */
export const fileContentSweep: Worker = {
  name: 'file_content_sweep',
  does: 'Removes the content of files that were deleted a day ago.',
  period_ms: 60_000,
  lease_ms: 60_000,
  batch_max: 100,
  async run({ store, clock, files }, count) {
    const before = clock.now() - file_limits.unreferenced_content_ms
    let rows = 0
    const removed = await store.write('system', async (tx) => {
      rows = 0
      const keys: string[] = []
      for (const { realm, sha256, key, preview_key } of await tx.all(oldest, { before, count })) {
        if ((await tx.run(remove, { realm, sha256, before })) === 0) continue
        rows += 1
        keys.push(key, ...(preview_key === null ? [] : [preview_key]))
      }
      return keys
    })
    for (const key of removed) await files.store.remove(key)
    return rows
  },
}

/** How far each process has come with its walk over all content. */
const walks = new WeakMap<Services, AsyncGenerator<string>>()

/** Keys that are looked up before other work may run. */
const keys_a_turn = 100

/** Removes content that no row names and that is a day old, and what uploads of ended processes left. */
export const fileOrphanSweep: Worker = {
  name: 'file_orphan_sweep',
  does: 'Removes stored content without a file, and what interrupted uploads left.',
  period_ms: 600_000,
  lease_ms: 60_000,
  batch_max: 5000,
  async run(services, count) {
    await removeParts(services)
    if (!walks.has(services)) await abortUnfinished(services)
    const keys = walks.get(services) ?? services.files.store.keys()
    walks.set(services, keys)
    let walked = 0
    while (walked < count - 1) {
      const next = await keys.next()
      if (next.done === true) {
        walks.delete(services)
        return walked
      }
      await removeOrphan(services, next.value)
      if (++walked % keys_a_turn === 0) await setImmediate()
    }
    // One batch per period: the load is bounded, however much there is.
    return walked
  },
}

/** A service that cannot list its unfinished uploads keeps them: what is stored whole is collected all the same. */
async function abortUnfinished({ files, clock, log }: Services): Promise<void> {
  const before = clock.now() - file_limits.unreferenced_content_ms
  await files.store.abortUnfinished(before).catch((error) => {
    log.warn('unfinished uploads to the bucket were not removed', { error: String(error) })
  })
}

async function removeOrphan({ store, files, clock }: Services, key: string): Promise<void> {
  const parts = readContentKey(key)
  if (parts === null || parts.created > clock.now() - file_limits.unreferenced_content_ms) return
  const row = await store.reader('system').first(findContent, { realm: parts.realm, sha256: parts.sha256 })
  if (row?.key !== key && row?.preview_key !== key) await files.store.remove(key)
}

async function removeParts({ store, files }: Services): Promise<void> {
  const parts = await files.uploads.parts()
  if (parts.length === 0) return
  const ended = new Set(await store.processes.ended([...new Set(parts.map(({ process }) => process))]))
  for (const { path, process } of parts) if (ended.has(process)) await rm(path, { force: true })
}
