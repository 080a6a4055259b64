/**
 * A copy of the source tree in which a test follows a page of docs/: `ts` blocks with a path are written as files, `diff`
 * blocks are applied to existing ones.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { type Block, type Page, root } from './page.ts'

/** Neither installed nor built, and not read by any check. */
const left_out = /(^|\/)(\.git|\.cache|\.work|node_modules|coverage|dist|results|pictures)$|^data$/

export class SourceCopy {
  readonly folder: string

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'atrium-sources-'))
    cpSync(root, this.folder, { recursive: true, filter: (path) => !left_out.test(relative(root, path)) })
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'))
  }

  /** Writes every file of the page and applies every diff, in order. Returns the paths. */
  follow(page: Page): string[] {
    return page.blocks.flatMap((block) => {
      if (block.file === null) return []
      const path = join(this.folder, block.file)
      mkdirSync(dirname(path), { recursive: true })
      if (block.language === 'diff') writeFileSync(path, applyDiff(readFileSync(path, 'utf8'), block, page.path))
      else writeFileSync(path, block.text)
      return [block.file]
    })
  }

  /** Runs a program of node_modules/.bin or of the source tree; fails with its output unless it exits with 0. */
  run(program: string, ...words: string[]): string {
    const isSource = program.endsWith('.ts')
    const command = isSource ? process.execPath : join(this.folder, 'node_modules/.bin', program)
    const { status, stdout, stderr } = spawnSync(command, isSource ? [program, ...words] : words, {
      cwd: this.folder,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      env: { ...process.env, NODE_COMPILE_CACHE: join(this.folder, '.cache'), NODE_TEST_CONTEXT: undefined },
    })
    assert.equal(status, 0, `${program} ${words.join(' ')} failed:\n${stdout}\n${stderr}`)
    return stdout
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Replaces the context and `-` lines of each hunk by its context and `+` lines; hunks are separated by `@@`. */
function applyDiff(text: string, { file, line, text: diff }: Block, page: string): string {
  return diff.split(/^@@.*\n/m).reduce((current, hunk) => {
    const lines = hunk.split('\n').slice(0, -1)
    const side = (dropped: string) =>
      lines.filter((each) => !each.startsWith(dropped)).map((each) => `${each.slice(1)}\n`)
    const [from, to] = [side('+').join(''), side('-').join('')]
    assert.equal(
      current.split(from).length,
      2,
      `${page}:${line}: ${file} must contain this text exactly once:\n${from}`,
    )
    return current.replace(from, () => to)
  }, text)
}
