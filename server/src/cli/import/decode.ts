/**
 * The bytes of a text file as one form: UTF-8 without byte order mark, lines ended by LF. Its mark identifies UTF-16,
 * other encodings by their name. Invalid bytes pass through; the reader of the cells refuses them with their line.
 */
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { Failure } from '../command.ts'

export const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'iso-8859-15', 'macintosh'] as const
export type Encoding = (typeof encodings)[number]

const marks: readonly [Encoding, Buffer][] = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
]

/** The encoding that the first bytes of a file show. */
async function encodingOf(file: string): Promise<{ encoding: Encoding; skip: number }> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(3), 0, 3, 0)
    const found = marks.find(([, mark]) => mark.length <= bytesRead && buffer.subarray(0, mark.length).equals(mark))
    return { encoding: found?.[0] ?? 'utf-8', skip: found?.[1].length ?? 0 }
  } finally {
    await handle.close()
  }
}

/** The text of a file as bytes of UTF-8 with LF. Refuses an encoding that the file does not have. */
export async function* normalized(file: string, given: Encoding | undefined): AsyncGenerator<Buffer> {
  const found = await encodingOf(file)
  const encoding = found.skip > 0 ? found.encoding : (given ?? 'utf-8')
  const decoder = encoding === 'utf-8' ? null : new TextDecoder(encoding, { fatal: true })
  let cr = false
  const stream = createReadStream(file, { start: found.skip })
  try {
    for await (const chunk of stream) {
      const bytes =
        decoder === null ? (chunk as Buffer) : Buffer.from(decoder.decode(chunk as Buffer, { stream: true }))
      if (bytes.length === 0) continue
      yield withLf(bytes, cr)
      cr = bytes.at(-1) === 0x0d
    }
    decoder?.decode()
  } catch (error) {
    if (error instanceof TypeError) throw new Failure(`${file} is not ${encoding}. Name its encoding with --encoding.`)
    throw error
  }
}

/** CRLF and CR as LF. `cr`: the chunk before ended with CR, which is a line end already. */
function withLf(bytes: Buffer, cr: boolean): Buffer {
  const from = cr && bytes[0] === 0x0a ? 1 : 0
  if (!bytes.includes(0x0d)) return from === 0 ? bytes : bytes.subarray(from)
  const text = bytes.toString('latin1', from).replaceAll(/\r\n?/g, '\n')
  return Buffer.from(text, 'latin1')
}
