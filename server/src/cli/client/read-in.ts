/** What a command reads besides its words: files and standard input, whole and bounded. */
import { open } from 'node:fs/promises'
import { Failure } from '../command.ts'

/** The text of a file, or of standard input for `-`; refuses what is larger than `bytes_max` or not UTF-8. */
export async function readText(path: string, bytes_max: number): Promise<string> {
  const name = path === '-' ? 'Standard input' : path
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    const source = path === '-' ? process.stdin : (await open(path)).createReadStream()
    for await (const chunk of source) {
      size += (chunk as Uint8Array).byteLength
      if (size > bytes_max) throw new Error(`it is larger than ${bytes_max} bytes`)
      chunks.push(chunk as Uint8Array)
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch (error) {
    const reason = error instanceof TypeError ? 'it is not UTF-8' : (error as Error).message
    throw new Failure(`${name} cannot be read: ${reason}.`)
  }
}
