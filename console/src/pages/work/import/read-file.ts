/** Reads a file that a person chose: what it is, and what it says. A file that cannot be used is refused with its reason. */
import { sha256 } from '../../../../../server/src/imports/digest.ts'
import type { SourceKind } from '../../../../../server/src/imports/draft.ts'
import { isLinear } from '../../../../../server/src/imports/linear.ts'
import { readTrelloBoard, type TrelloBoard } from '../../../../../server/src/imports/trello.ts'
import { Unusable } from '../../../../../server/src/imports/unusable.ts'
import { t, textLanguage } from '../../../language/index.ts'
import { sizeText } from '../../../lib/size-text.ts'
import { type ReadTable, readTable } from './csv-table.ts'
import { page_limits } from './limits.ts'

export const encodings = ['utf-8', 'utf-16le', 'windows-1252', 'iso-8859-15', 'macintosh'] as const
export type Encoding = (typeof encodings)[number]

export type ReadFile = { readonly name: string; readonly kind: SourceKind; readonly sha256: string } & (
  | { readonly board: TrelloBoard; readonly table: null }
  | { readonly board: null; readonly table: ReadTable }
)

/** A file that cannot be used; the message is a sentence for the person. */
export class UnusableFile extends Error {
  /** Whether another encoding may help. */
  readonly isEncoding: boolean

  constructor(message: string, isEncoding = false) {
    super(message)
    this.isEncoding = isEncoding
  }
}

/** Other formats, by their first bytes. */
const formats: readonly (readonly [string, string])[] = [
  ['PK\u0003\u0004', t('is a ZIP archive or a workbook. Export it as CSV, or unpack it first')],
  ['%PDF', t('is a PDF. Export the data as CSV')],
  ['\u0089PNG', t('is an image')],
  ['\u00ff\u00d8\u00ff', t('is an image')],
  ['\u00d0\u00cf\u0011\u00e0', t('is an Excel workbook. Save it as CSV')],
]

export async function readFile(file: File, encoding: Encoding | null): Promise<ReadFile> {
  const named = `“${file.name}”`
  if (file.size > page_limits.file_bytes_max) {
    throw new UnusableFile(
      t(
        '{named} has {size}. This page reads files up to {file_bytes_max}; the command “atrium import” reads larger ones.',
        { named, size: sizeText(file.size), file_bytes_max: sizeText(page_limits.file_bytes_max) },
      ),
    )
  }
  const bytes = await bytesOf(file)
  if (bytes.length === 0) throw new UnusableFile(t('{named} is empty.', { named }))
  const text = textOf(bytes, encoding, named)
  if (text.trim() === '') throw new UnusableFile(t('{named} holds only blank space.', { named }))
  try {
    const hash = await sha256(bytes)
    if (/^[[{]/.test(text.trimStart())) {
      return { name: file.name, kind: 'trello', sha256: hash, board: readTrelloBoard(file.name, text), table: null }
    }
    const table = readTable(file.name, text)
    return { name: file.name, kind: kindOf(table.header), sha256: hash, board: null, table }
  } catch (error) {
    if (!(error instanceof Unusable)) throw error
    throw new UnusableFile(`${named} ${error.message}.${nearBy(error.message, text)}`)
  }
}

async function bytesOf(file: File): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await file.arrayBuffer())
  } catch {
    throw new UnusableFile(
      t('“{name}” cannot be read. It may have been moved or changed: choose it again.', { name: file.name }),
    )
  }
}

function textOf(bytes: Uint8Array<ArrayBuffer>, encoding: Encoding | null, named: string): string {
  const head = String.fromCharCode(...bytes.subarray(0, 8))
  const format = formats.find(([start]) => head.startsWith(start))
  if (format !== undefined) throw new UnusableFile(`${named} ${format[1]}.`)
  const mark = markOf(bytes)
  const zero = mark === null && encoding === null ? bytes.subarray(0, page_limits.sniffed_bytes).indexOf(0) : -1
  if (zero >= 0) {
    throw new UnusableFile(
      t('{named} is not a text: byte {zero} is 0. If it is a text in UTF-16, choose that encoding.', {
        named,
        zero: (zero + 1).toLocaleString(textLanguage()),
      }),
      true,
    )
  }
  const name = mark ?? encoding ?? 'utf-8'
  try {
    return new TextDecoder(name, { fatal: true }).decode(bytes)
  } catch {
    const lines = new TextDecoder(name).decode(bytes).split('\n')
    const at = lines.findIndex((line) => line.includes('\uFFFD'))
    const line = lines[at] ?? ''
    const from = Math.max(0, line.indexOf('\uFFFD') - 20)
    throw new UnusableFile(
      t('Line {at} of {named} is not {toUpperCase}: “{line}”. Choose the encoding that it was saved in.', {
        at: (at + 1).toLocaleString(textLanguage()),
        named,
        toUpperCase: name.toUpperCase(),
        line: line.slice(from, from + 40).trim(),
      }),
      true,
    )
  }
}

/** The encoding that a byte order mark names. */
function markOf([a, b, c]: Uint8Array): string | null {
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8'
  if (a === 0xff && b === 0xfe) return 'utf-16le'
  return a === 0xfe && b === 0xff ? 'utf-16be' : null
}

function kindOf(header: readonly string[]): SourceKind {
  const names = new Set(header.map((name) => name.toLowerCase()))
  if (names.has('summary') && (names.has('issue key') || names.has('key'))) return 'jira'
  return isLinear(header) ? 'linear' : 'csv'
}

/** The text around the place that a message of the JSON parser names, or on the line that a message names. */
function nearBy(message: string, text: string): string {
  const position = /at position (\d+)/.exec(message)?.[1]
  const line = /at line (\d+)/.exec(message)?.[1]
  const quote =
    position === undefined
      ? line === undefined
        ? ''
        : (text.split('\n')[Number(line) - 1] ?? '').slice(0, 60)
      : text.slice(Math.max(0, Number(position) - 30), Number(position) + 10)
  return quote.trim() === '' ? '' : t(' There it reads “{quote}”.', { quote: quote.trim().replaceAll(/\s+/g, ' ') })
}
