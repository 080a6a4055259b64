/** The files of the built console and their compressed copies, read into memory once. */
import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import { projectFile } from '../lib/project-file.ts'
import { chooseCoding } from './content-coding.ts'

const folder = projectFile('console/dist')

/** The page of an installation whose console is not built. */
export const unbuilt_page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Atrium</title></head>
<body>
<h1>The console is not built</h1>
<p>Run <code>npm run build:console</code> and start the server again. The API works without it: <a href="/docs">reference</a>.</p>
</body>
</html>
`

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.woff2': 'font/woff2',
}

const codings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

export class ConsoleFile {
  readonly type: string
  readonly etag: string
  /** The file's name contains a hash of its content. */
  readonly immutable: boolean
  private readonly bytes: Buffer
  private readonly compressed: ReadonlyMap<string, Buffer>

  constructor(path: string, all: ReadonlyMap<string, Buffer>) {
    this.type = types[extname(path)] ?? 'application/octet-stream'
    this.bytes = all.get(path) as Buffer
    this.etag = `"${hash('sha256', this.bytes, 'base64url').slice(0, 27)}"`
    this.immutable = path.startsWith('/assets/')
    this.compressed = new Map(
      codings.flatMap(([coding, ending]) => {
        const bytes = all.get(`${path}${ending}`)
        return bytes === undefined ? [] : [[coding, bytes] as const]
      }),
    )
  }

  /** The bytes in the best coding that `Accept-Encoding` allows. */
  encoded(accepted: string): readonly [coding: string | null, bytes: Buffer] {
    const coding = chooseCoding(accepted, [...this.compressed.keys()])
    return [coding, this.compressed.get(coding ?? '') ?? this.bytes]
  }
}

export class ConsoleFiles {
  private reading: Promise<ReadonlyMap<string, ConsoleFile>> | null = null

  /** The file at a path of the site, or `null`. Until the console is built, every call looks for it again. */
  async find(path: string): Promise<ConsoleFile | null> {
    this.reading ??= readFiles()
    const files = await this.reading
    if (!files.has('/index.html')) this.reading = null
    return files.get(path) ?? null
  }
}

async function readFiles(): Promise<ReadonlyMap<string, ConsoleFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const all = new Map<string, Buffer>()
  for (const entry of entries) {
    const file = join(entry.parentPath, entry.name)
    const path = file.slice(folder.length).replaceAll(sep, '/')
    // Tools keep their own files in folders that begin with a dot.
    if (entry.isFile() && !path.includes('/.')) all.set(path, await readFile(file))
  }
  const originals = [...all.keys()].filter((path) => !/\.(br|gz)$/.test(path))
  return new Map(originals.map((path) => [path, new ConsoleFile(path, all)]))
}
