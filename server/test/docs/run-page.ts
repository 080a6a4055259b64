/**
 * Runs a page as its reader would: its blocks one after the other in one shell, programs in files of the name that
 * their fence gives, and holds what each prints against the block that shows it.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execute } from '../cli/installation.ts'
import type { Block, Page } from './page.ts'
import { assertShown } from './shown.ts'

/** What blocks that stand behind another show. */
const outputs = ['json', 'http', 'text']

export interface Reader {
  readonly url: string
  readonly key: string
}

/** Runs a page's `sh` and `ts` blocks. Returns how many were run and how many outputs were compared. */
export async function runPage(page: Page, { url, key }: Reader): Promise<{ ran: number; compared: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-page-'))
  try {
    const blocks = page.blocks.filter(({ language }) => language === 'sh' || language === 'ts')
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const script = blocks.map((block, i) => scriptOf(block, i, folder, url))
    const shell = ['-euo', 'pipefail', '-c', script.join('\n')]
    const { code, out, err } = await execute('bash', shell, { ATRIUM_KEY: key, NODE: process.execPath, FOLDER: folder })
    assert.equal(code, 0, `${page.path} ended with ${code}\n${out}\n${err}`)
    let compared = 0
    for (const [i, block] of blocks.entries()) {
      const output = readFileSync(join(folder, `${i}.out`), 'utf8')
      const about = `${page.path}:${block.line}`
      const shown = page.blocks.find(({ follows, language }) => follows === block && outputs.includes(language))
      if (shown === undefined) assert.doesNotMatch(output, /"error":\s*\{/, about)
      else assertShown(shown.language, shown.text, output, about)
      if (shown !== undefined) compared += 1
    }
    return { ran: blocks.length, compared }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function scriptOf({ language, text, file }: Block, i: number, folder: string, url: string): string {
  const here = text.replaceAll('http://127.0.0.1:4010', url)
  if (language === 'sh') return `cd "$FOLDER"\n{\n${here}\n} > "$FOLDER/${i}.out"`
  const name = file ?? `program-${i}.ts`
  writeFileSync(join(folder, name), here)
  return `"$NODE" "$FOLDER/${name}" > "$FOLDER/${i}.out"`
}
