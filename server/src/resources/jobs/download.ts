/** Signed URLs of export files, valid for an hour without a credential (contract/13#download-url). */

import { limits } from '../../api/limits.ts'
import type { Services } from '../../api/services.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { ExportJobRow } from '../../db/schema.ts'
import type { Download } from './job.ts'

function signedText(job: string, expires: number): string {
  return `${job}\n${expires}`
}

/** A new link to a completed job's file; it expires with the file at the latest. `now` is in milliseconds. */
export function downloadOf(
  services: Pick<Services, 'sealer' | 'settings'>,
  row: ExportJobRow,
  now: number,
): Download | null {
  if (row.status !== 'completed' || row.expires_at === null) return null
  const expiresAt = Math.min(now + limits.export_url_ms, row.expires_at)
  const expires = Math.floor(expiresAt / 1000)
  const signed = services.sealer.sign('download', signedText(row.id, expires)).toString('base64url')
  return {
    url: `${services.settings.publicUrl}/v1/downloads/${row.id}?expires=${expires}&signature=${signed}`,
    expiresAt,
  }
}

const findJob = query((db, p: Placeholder<{ id: string }>) =>
  db.selectFrom('export_jobs').selectAll().where('id', '=', p('id')),
)

/** The job of a link, or the reason for refusing it: a wrong signature, an unknown job, or an expired link or file. */
export async function followDownload(
  services: Pick<Services, 'sealer' | 'store'>,
  link: { readonly job: string; readonly expires: string; readonly signature: string },
  now: number,
): Promise<ExportJobRow | 'missing' | 'expired'> {
  const expires = /^\d{1,12}$/.test(link.expires) ? Number(link.expires) : -1
  const isSigned = services.sealer.isSigned('download', signedText(link.job, expires), link.signature, now)
  if (expires < 0 || !isSigned) return 'missing'
  const row = await services.store.reader('system').first(findJob, { id: link.job })
  if (row === undefined) return 'missing'
  if (now >= expires * 1000 || row.status !== 'completed' || now >= (row.expires_at ?? 0)) return 'expired'
  return row
}

const chunksFrom = query(
  (db, p: Placeholder<{ realm: number; job: string; attempt: number; number: number; offset: number }>) =>
    db
      .selectFrom('export_chunks')
      .selectAll()
      .where('realm', '=', p('realm'))
      .where('job', '=', p('job'))
      .where('attempt', '=', p('attempt'))
      .where('number', '>=', p('number'))
      .where((eb) => eb(eb('offset_bytes', '+', eb.ref('size_bytes')), '>', p('offset')))
      .orderBy('number')
      .limit(1),
)

/** The bytes of a file from `first` to `last`, inclusive, chunk by chunk. */
export async function* fileBytes(
  services: Pick<Services, 'store'>,
  row: ExportJobRow,
  first: number,
  last: number,
): AsyncGenerator<Buffer> {
  const reader = services.store.reader('system')
  let number = 0
  for (let offset = first; offset <= last; ) {
    const { realm, id: job, attempt } = row
    const chunk = await reader.first(chunksFrom, { realm, job, attempt, number, offset })
    if (chunk === undefined) throw new Error(`the file of ${job} ends before its size`)
    const bytes = Buffer.from(chunk.lines)
    const end = Math.min(bytes.length, last - chunk.offset_bytes + 1)
    yield bytes.subarray(offset - chunk.offset_bytes, end)
    offset = chunk.offset_bytes + end
    number = chunk.number + 1
  }
}
