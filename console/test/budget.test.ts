/** The size of a first visit, measured on the build that is served, or on a new one if that is older than its source. */
import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { buildConsole, isConsoleBuilt } from '../build.ts'

/** JavaScript, compressed by gzip. */
const first_load_bytes_max = 170 * 1024

interface Chunk {
  readonly file: string
  readonly isEntry?: boolean
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
}

describe('the built console', () => {
  const dist = join(import.meta.dirname, '../dist')
  let manifest: Readonly<Record<string, Chunk>>
  before(async () => {
    if (!isConsoleBuilt()) await buildConsole(dist)
    manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'))
  })

  /** The files of a chunk and of everything it imports. */
  const filesOf = (name: string, found = new Set<string>()): Set<string> => {
    const chunk = manifest[name]
    assert.ok(chunk, `No chunk is named ${name}.`)
    if (found.has(chunk.file)) return found
    found.add(chunk.file)
    for (const each of chunk.imports ?? []) filesOf(each, found)
    return found
  }
  const bytesOf = (files: Iterable<string>) =>
    [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file)), { level: 9 }).length, 0)

  for (const page of ['src/pages/home/home-page.tsx', 'src/pages/sign-in/sign-in-page.tsx']) {
    it(`loads at most 170 KiB of compressed JavaScript for ${page}`, () => {
      const bytes = bytesOf(
        new Set([
          ...['first-requests.js', 'appearance.js'],
          ...['index.html', 'src/start.tsx', page].flatMap((name) => [...filesOf(name)]),
        ]),
      )
      assert.ok(bytes <= first_load_bytes_max, `${(bytes / 1024).toFixed(1)} KiB`)
    })
  }

  it('has nothing in its page that the policy would refuse', () => {
    const page = readFileSync(join(dist, 'index.html'), 'utf8')
    assert.doesNotMatch(page, /<script(?![^>]*\ssrc=)/, 'an inline script')
    assert.doesNotMatch(page, /<style|\sstyle=|\son\w+=/, 'an inline style or handler')
    assert.doesNotMatch(page, /(?:src|href)="(?!\/)/, 'something from another origin')
  })

  it('has a copy of every file in Brotli', () => {
    for (const { file } of Object.values(manifest)) {
      // Fonts are compressed already.
      if (file.endsWith('.woff2')) continue
      assert.ok(statSync(join(dist, `${file}.br`)).size < statSync(join(dist, file)).size + 64, file)
    }
  })
})
