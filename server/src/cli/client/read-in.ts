/** What a command reads besides its words: files and standard input, whole and bounded. */
import { openAsBlob } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { Failure } from '../command.ts'

/** The text of a file, or of standard input for `-`; refuses what is larger than `bytes_max` or not UTF-8. */
export async function readText(path: string, bytes_max: number): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readBytes(path, bytes_max))
  } catch (error) {
    throw unreadable(path, error instanceof TypeError ? 'it is not UTF-8' : (error as Error).message)
  }
}

/** What is uploaded: a file, or standard input for `-`, which is read at once. */
export async function readContent(path: string, stdin_bytes_max: number): Promise<Blob> {
  if (path !== '-') return await openFile(path)
  try {
    return new Blob([await readBytes(path, stdin_bytes_max)])
  } catch (error) {
    throw unreadable(path, (error as Error).message)
  }
}

/** A file that is read while it is sent, however large it is. */
export async function openFile(path: string): Promise<Blob> {
  try {
    if (!(await stat(path)).isFile()) throw new Error('it is not a file')
    return await openAsBlob(path)
  } catch (error) {
    throw unreadable(path, (error as Error).message)
  }
}

function unreadable(path: string, reason: string): Failure {
  return new Failure(`${path === '-' ? 'Standard input' : path} cannot be read: ${reason}.`)
}

async function readBytes(path: string, bytes_max: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  const source = path === '-' ? process.stdin : (await open(path)).createReadStream()
  for await (const chunk of source) {
    size += (chunk as Uint8Array).byteLength
    if (size > bytes_max) throw new Error(`it is larger than ${bytes_max} bytes`)
    chunks.push(chunk as Uint8Array)
  }
  return Buffer.concat(chunks)
}
