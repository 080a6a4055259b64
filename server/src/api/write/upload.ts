/**
 * Content as the body of a write: received into a file, checked against the digests that the client sent, and removed after
 * the request unless a row names it.
 */
import { timingSafeEqual } from 'node:crypto'
import { newContentKey } from '../../files/content-store.ts'
import type { Files } from '../../files/files.ts'
import type { DigestAlgorithm } from '../../files/upload.ts'
import { Refusal, refuse } from '../declare/errors.ts'
import type { UploadedContent } from '../declare/operation.ts'
import type { Request } from '../declare/request.ts'
import type { Services } from '../services.ts'
import type { Write } from './commit.ts'

/** Receives the whole body. Refuses one over the limit, an incomplete one, and one with another digest. */
export async function receiveUpload(files: Files, request: Request): Promise<UploadedContent> {
  if (request.headerValues('content-encoding').some((coding) => coding.toLowerCase() !== 'identity')) {
    throw refuse('invalid_request_body', { param: 'Content-Encoding', message: 'A compressed body is not accepted.' })
  }
  const claims = digest_headers.flatMap(({ name, read }) => readClaims(request, name, read))
  const algorithms = claims.map(({ algorithm }) => algorithm)
  const content = await files.receive(request.pieces(files.settings.bytes_max), algorithms)
  for (const { header, algorithm, digest } of claims) {
    const found = content.digests[algorithm] as Buffer
    if (digest.length === found.length && timingSafeEqual(digest, found)) continue
    await content.discard()
    const message = `The ${algorithm} of the content is ${found.toString('base64')}, not what ${header} says.`
    throw refuse('invalid_request_body', { param: header, message })
  }
  return { content, key: null, isReferenced: false }
}

/** Runs `use` with an upload and then removes what the request does not need. */
export async function withUpload<T>(services: Services, { upload }: Write, use: () => Promise<T>): Promise<T> {
  return await releasing(services, upload === null ? [] : [upload], use)
}

/** Makes contents durable in a realm for `use`, and removes afterwards what no row names. Rejects with ContentUnavailable. */
export async function withContents<T>(
  services: Pick<Services, 'files' | 'clock' | 'log'>,
  realm: number,
  contents: readonly Uint8Array[],
  use: (uploads: readonly UploadedContent[]) => Promise<T>,
): Promise<T> {
  const uploads: UploadedContent[] = []
  return await releasing(services, uploads, async () => {
    for (const bytes of contents) {
      const content = await services.files.receive(onePiece(bytes), [])
      const upload: UploadedContent = { content, key: null, isReferenced: false }
      uploads.push(upload)
      const key = newContentKey(realm, content.sha256, services.clock.now())
      await services.files.keep(key, content)
      upload.key = key
    }
    return await use(uploads)
  })
}

async function* onePiece(bytes: Uint8Array): AsyncGenerator<Buffer> {
  yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

type Releasing = Pick<Services, 'files' | 'log'>

async function releasing<T>(
  services: Releasing,
  uploads: readonly UploadedContent[],
  use: () => Promise<T>,
): Promise<T> {
  let isDecided = false
  try {
    const value = await use()
    isDecided = true
    return value
  } catch (error) {
    isDecided = error instanceof Refusal
    throw error
  } finally {
    for (const upload of uploads) await release(services, upload, isDecided)
  }
}

/** An undecided commit may have happened: its content stays, and the collection looks for its row later. */
async function release({ files, log }: Releasing, upload: UploadedContent, isDecided: boolean): Promise<void> {
  await upload.content.discard()
  if (upload.key === null || upload.isReferenced || !isDecided) return
  await files.store.remove(upload.key).catch((error) => {
    log.warn('content that no file needs was not removed yet', { key: upload.key, error: String(error) })
  })
}

interface DigestClaim {
  readonly header: string
  readonly algorithm: DigestAlgorithm
  readonly digest: Buffer
}

/** One digest of a header: `sha-256=:…:` (RFC 9530), or without colons in the older `Digest` (RFC 3230). */
const digest_headers = [
  { name: 'Content-Digest', read: /^([a-z0-9-]+)=:([A-Za-z0-9+/]+={0,2}):$/i },
  { name: 'Digest', read: /^([a-z0-9-]+)=([A-Za-z0-9+/]+={0,2})$/i },
] as const

const digest_bytes: Readonly<Record<string, number>> = { 'sha-256': 32, 'sha-512': 64 }

/** Digests of other algorithms are skipped if one that is known stands beside them. */
function readClaims(request: Request, header: string, read: RegExp): DigestClaim[] {
  const members = request.headerValues(header.toLowerCase()).flatMap((value) => value.split(',', 10))
  if (members.length === 0) return []
  const claims = members.flatMap((member) => {
    const [, name = '', value = ''] = read.exec(member.trim()) ?? []
    const algorithm = name.toLowerCase()
    const digest = Buffer.from(value, 'base64')
    return digest.length > 0 && digest.length === digest_bytes[algorithm]
      ? [{ header, algorithm: algorithm as DigestAlgorithm, digest }]
      : []
  })
  if (claims.length > 0) return claims
  const form = header === 'Digest' ? 'sha-256=BASE64' : 'sha-256=:BASE64:'
  const message = `${header} holds no digest that can be checked. Send ${form} or the same with sha-512.`
  throw refuse('invalid_request_body', { param: header, message })
}
