/** Ranges of bytes in a request (RFC 9110 §14). */

/** Both inclusive. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

/** One range of bytes. Several ranges or another unit are ignored: the whole file is sent (RFC 9110 §14.2). */
export function readRange(header: string, size: number): ByteRange | 'unsatisfiable' | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header.trim())
  if (match === null || (match[1] === '' && match[2] === '')) return null
  const [, from = '', to = ''] = match
  if (from === '') {
    const length = Math.min(Number(to), size)
    return length === 0 ? 'unsatisfiable' : { first: size - length, last: size - 1 }
  }
  const first = Number(from)
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (to !== '' && Number(to) < first) return null
  return first >= size ? 'unsatisfiable' : { first, last }
}
