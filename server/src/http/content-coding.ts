/**
 * Content codings of answers: which one a client accepts, and the bytes and entity tag of the coded answer (RFC 9110
 * §8.4, §12.5.3).
 */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { type CodingName, codedTag, coding_names, codingOfTag } from '../api/request/http-tags.ts'
import type { Reply } from './exchange.ts'
import { http_limits } from './limits.ts'

/**
 * The coding to answer with; null: none. The client's weights decide, and between equal weights the order of `offered`.
 * A malformed member of the header counts as absent.
 */
export function chooseCoding<Coding extends string>(header: string, offered: readonly Coding[]): Coding | null {
  const weights = readWeights(header)
  let best: Coding | null = null
  let most = 0
  for (const coding of offered) {
    const weight = weights.get(coding) ?? weights.get('*') ?? 0
    if (weight > most) {
      best = coding
      most = weight
    }
  }
  return most < (weights.get('identity') ?? 0) ? null : best
}

const member = /^([\w*-]+)(?:;q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/

/** The weight of each coding that the header names, in lower case. */
function readWeights(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const part of header.split(',', http_limits.accepted_codings_max)) {
    const [, name, weight = '1'] = member.exec(part.replaceAll(/[ \t]/g, '').toLowerCase()) ?? []
    if (name !== undefined) weights.set(name === 'x-gzip' ? 'gzip' : name, Number(weight))
  }
  return weights
}

const brotli = promisify(brotliCompress)
const gz = promisify(gzip)

/** Compresses outside the main thread, in about the same time as gzip. */
export async function compress(coding: CodingName, bytes: Buffer): Promise<Buffer> {
  if (coding === 'gzip') return await gz(bytes)
  const params = { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  return await brotli(bytes, { params })
}

/**
 * A reply in the coding that `Accept-Encoding` asks for, if it has at least 1 KiB (contract/17#compression). Its tag names
 * the coding. A stream is left as it is.
 */
export async function encodeReply(replying: Reply | Promise<Reply>, accepted: string): Promise<Reply> {
  const reply = await replying
  const { body, headers } = reply
  if (reply.status === 304 && codingOfTag(headers.ETag) !== null) varyByCoding(headers)
  if (body === null || reply.stream !== undefined) return reply
  if (Buffer.byteLength(body) < http_limits.compressed_bytes_min) return reply
  const coding = chooseCoding(accepted, coding_names)
  if (coding === null) return reply
  const bytes = await compress(coding, Buffer.from(body))
  headers['Content-Encoding'] = coding
  if (headers.ETag !== undefined) headers.ETag = codedTag(headers.ETag, coding)
  varyByCoding(headers)
  return { ...reply, body: bytes }
}

function varyByCoding(headers: Record<string, string>): void {
  headers.Vary = headers.Vary === undefined ? 'Accept-Encoding' : `${headers.Vary}, Accept-Encoding`
}
