/**
 * The files of the built console and their copies in Brotli, read into memory once. A copy in gzip is made for the first client
 * that does not accept Brotli, and kept.
 */
import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import { projectFile } from '../lib/project-file.ts'
import { chooseCoding, compress } from './content-coding.ts'
import { once } from './once.ts'

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

/** How the name of a file in Brotli ends. */
const brotli_ending = '.br'

export class ConsoleFile {
  readonly type: string
  readonly etag: string
  /** The file's name contains a hash of its content. */
  readonly immutable: boolean
  private readonly bytes: Buffer
  /** Undefined for files that do not become smaller. */
  private readonly brotli: Buffer | undefined
  private readonly gzip = once(() => compress('gzip', this.bytes))

  constructor(path: string, all: ReadonlyMap<string, Buffer>) {
    this.type = types[extname(path)] ?? 'application/octet-stream'
    this.bytes = all.get(path) as Buffer
    this.etag = `"${hash('sha256', this.bytes, 'base64url').slice(0, 27)}"`
    this.immutable = path.startsWith('/assets/')
    this.brotli = all.get(`${path}${brotli_ending}`)
  }

  /** The bytes in the best coding that `Accept-Encoding` allows. */
  async encoded(accepted: string): Promise<readonly [coding: string | null, bytes: Buffer]> {
    if (this.brotli === undefined) return [null, this.bytes]
    const coding = chooseCoding(accepted, ['br', 'gzip'])
    if (coding === 'br') return [coding, this.brotli]
    return coding === 'gzip' ? [coding, await this.gzip()] : [null, this.bytes]
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
  const originals = [...all.keys()].filter((path) => !path.endsWith(brotli_ending))
  return new Map(originals.map((path) => [path, new ConsoleFile(path, all)]))
}
