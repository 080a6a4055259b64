/**
 * Runs a page as a reader would: its blocks in order in one shell, each program in the file that its fence names. Compares
 * the output of each block with the block that shows it.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { missing, environment as python } from '../../../sdk/python/test/driver.ts'
import { execute } from '../cli/terminal.ts'
import type { Block, Page } from './page.ts'
import { assertShown } from './shown.ts'

/** Languages of blocks that show the output of the block before them. */
const outputs = ['json', 'http', 'text']

/** Languages of blocks that are run. `py` uses the Python SDK, and is left out where it cannot run. */
const languages = ['sh', 'ts', ...(missing === null ? ['py'] : [])]

const pythonPaths = { PYTHONPATH: python.PYTHONPATH, PYTHONPYCACHEPREFIX: python.PYTHONPYCACHEPREFIX }

/** The server's address as the pages write it. */
const served_at = 'http://127.0.0.1:4010'

export interface Reader {
  readonly url: string
  readonly key: string
}

/**
 * Runs a page's `sh`, `ts` and `py` blocks, after the `sh` blocks of `setUp` where one is given. Returns the number of blocks
 * run and of outputs compared.
 */
export async function runPage(
  page: Page,
  { url, key }: Reader,
  setUp: Page | null = null,
): Promise<{ ran: number; compared: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-page-'))
  try {
    const blocks = page.blocks.filter(({ language }) => languages.includes(language))
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const before = setUp === null ? [] : setUp.blocks.filter(({ language }) => language === 'sh')
    const script = [
      ...before.map(({ text }) => text.replaceAll(served_at, url)),
      ...blocks.map((block, i) => scriptOf(block, i, folder, url)),
    ]
    const shell = ['-euo', 'pipefail', '-c', script.join('\n')]
    const { code, out, err } = await execute('bash', shell, {
      environment: { ATRIUM_KEY: key, NODE: process.execPath, FOLDER: folder, ...pythonPaths },
    })
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
  const here = text.replaceAll(served_at, url)
  if (language === 'sh') return `cd "$FOLDER"\n{\n${here}\n} > "$FOLDER/${i}.out"`
  const name = file ?? `program-${i}.${language}`
  writeFileSync(join(folder, name), here)
  return `${language === 'py' ? 'python3' : '"$NODE"'} "$FOLDER/${name}" > "$FOLDER/${i}.out"`
}
