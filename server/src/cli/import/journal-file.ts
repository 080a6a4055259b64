/**
 * The journal of an import as a file of JSON lines, each on disk before its write returns. An incomplete last line is
 * ignored.
 */
import { closeSync, createReadStream, existsSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { type Identity, Journal, type Line } from '../../imports/journal.ts'
import { Failure } from '../command.ts'

export class JournalFile {
  readonly path: string
  readonly journal: Journal
  private file: number | null = null
  private position = 0

  constructor(path: string, identity: Identity, counted: boolean) {
    this.path = path
    this.journal = new Journal(identity, counted, (line) => this.append(line))
  }

  /** Opens the journal for writing. `size`: the bytes of complete lines that it has. */
  open(size: number): void {
    try {
      this.file = openSync(this.path, size === 0 ? 'w' : 'r+', 0o600)
      ftruncateSync(this.file, size)
    } catch (error) {
      throw new Failure(`The journal cannot be written: ${(error as Error).message}. Name another file with --state.`)
    }
    this.position = size
    if (size === 0) this.append({ import: this.journal.identity })
  }

  private append(line: Line): void {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`)
    const file = this.file as number
    for (let done = 0; done < bytes.length; )
      done += writeSync(file, bytes, done, bytes.length - done, this.position + done)
    this.position += bytes.length
    fsyncSync(file)
  }

  close(): void {
    if (this.file !== null) closeSync(this.file)
    this.file = null
  }
}

function parsed(text: string): Line | null {
  try {
    const line = JSON.parse(text) as Line
    return typeof line === 'object' && line !== null ? line : null
  } catch {
    return null
  }
}

/** The identity at the start of a journal; null if the file does not exist. */
export async function identityIn(path: string): Promise<Identity | null> {
  if (!existsSync(path)) return null
  const lines = createInterface({ input: createReadStream(path) })
  for await (const text of lines) {
    lines.close()
    const line = parsed(text)
    if (line === null || !('import' in line))
      throw new Failure(`${path} is not the journal of an import. Name another file with --state.`)
    return line.import
  }
  return null
}

/** Reads a journal into memory. Returns the bytes of its complete lines. */
export async function replay({ path, journal }: JournalFile): Promise<number> {
  if (!existsSync(path)) return 0
  let size = 0
  let broken = 0
  let number = 0
  let rest = Buffer.alloc(0)
  for await (const chunk of createReadStream(path)) {
    const bytes = Buffer.concat([rest, chunk as Buffer])
    let from = 0
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      number++
      if (broken > 0) throw new Failure(`${path} is damaged at line ${broken}.`)
      const line = parsed(bytes.toString('utf8', from, end))
      if (line === null) broken = number
      else {
        journal.take(line)
        size += end + 1 - from
      }
      from = end + 1
    }
    rest = bytes.subarray(from)
  }
  return size
}
