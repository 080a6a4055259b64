/** A user of a server: runs `bin/atrium` with a URL, a key and a folder. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { World } from '../world.ts'
import { Terminal } from './terminal.ts'

export class Client extends Terminal {
  constructor(url: string, key: string) {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-client-'))
    super(folder, { ATRIUM_URL: url, ATRIUM_KEY: key, XDG_CONFIG_HOME: folder })
  }

  static of(world: World): Client {
    return new Client(world.server.url, world.acme.key)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

export function fixture(name: string): Buffer {
  return readFileSync(join(import.meta.dirname, 'fixtures', name))
}
