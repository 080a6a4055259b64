/**
 * Test files that share a process: it loads the server once for all of them, and code that has run often runs faster, so that
 * they cost half. Each file is a suite of the process, with hooks and a world of its own. Files that mostly wait for programs,
 * and those that end them, plant faults in them or take a minute, keep a process for themselves.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative, resolve } from 'node:path'

const root = join(import.meta.dirname, '../..')

const together = /^(?:examples|sdk|server\/(?:src|test\/(?:automations|conformance|durability|docs|console)))\//
const alone = /-crash\.test\.ts$|\/crash\.test\.ts$|\.browser\.ts/

/** Few enough that a group stays far below the time limit of a file. */
const files_max = 6

export const group_ending = '.group.cjs'

/** Writes the groups into a folder of their own; `remove` takes it away. */
export function inGroups(files: readonly string[]): { readonly entries: readonly string[]; remove(): void } {
  const shared = files.filter((file) => shares(relative(root, file)))
  if (shared.length < 2) return { entries: files, remove: () => {} }
  const folder = mkdtempSync(join(tmpdir(), 'atrium-groups-'))
  const groups: string[] = []
  for (let at = 0; at < shared.length; at += files_max) {
    const members = shared.slice(at, at + files_max)
    const path = join(folder, nameOf(groups.length + 1, members))
    writeFileSync(path, textOf(members))
    groups.push(path)
  }
  const others = files.filter((file) => !shared.includes(file))
  return { entries: [...others, ...groups], remove: () => rmSync(folder, { recursive: true, force: true }) }
}

function shares(name: string): boolean {
  return together.test(name) && !alone.test(name)
}

/** Says which files are in it, for the case that it ends before they do. */
function nameOf(number: number, members: readonly string[]): string {
  return `${number}-${members.map((file) => basename(file, '.test.ts')).join('+')}${group_ending}`
}

/** Loaded within its suite and without a wait, so that its tests are this suite's and no other's. */
function textOf(members: readonly string[]): string {
  const suites = members.map((file) => {
    const [name, path] = [relative(root, file), resolve(file)].map((text) => JSON.stringify(text))
    return `describe(${name}, () => void require(${path}))\n`
  })
  return `const { describe } = require('node:test')\n${suites.join('')}`
}
