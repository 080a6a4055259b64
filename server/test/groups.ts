/**
 * Test files that share a process. It loads the server once for all of them and its code is compiled once, which halves their
 * cost. Each file is a suite in the process, with its own hooks and its own world. Files that mostly wait for programs, that
 * kill them or plant faults in them, that take a minute, or that depend on the time in ids, which the clock of another file
 * may have moved on, keep a process for themselves; so do those that need the real cost of passwords (`cheap-passwords.ts`) or
 * a module that awaits something while it is loaded.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative, resolve } from 'node:path'

const root = join(import.meta.dirname, '../..')

const together =
  /^(?:console|examples|proof\/rows|sdk|server\/(?:src|test\/(?:automations|conformance|console|derive|docs|durability|guests)))\/|\.browser\.ts$/
const alone =
  /-crash\.test\.ts$|\/crash\.test\.ts$|\/(?:accounts\/password|test\/budget|docs\/adding|derive\/(?:catalogue-grows|prism)|full-disk|rows\/(?:follow|kill))\.test\.ts$|\/run-filters\.browser\.ts$/

/** A group runs on one core, so few files leave work for the other. */
const files_max = 6

export const group_ending = '.group.cjs'

/** Writes the groups into a new folder, which `remove` deletes. */
export function inGroups(files: readonly string[]): { readonly entries: readonly string[]; remove(): void } {
  const shared = files.filter((file) => sharesProcess(relative(root, file)))
  if (shared.length < 2) return { entries: files, remove: () => {} }
  const folder = mkdtempSync(join(tmpdir(), 'atrium-groups-'))
  const groups: string[] = []
  const size = Math.ceil(shared.length / Math.ceil(shared.length / files_max))
  for (let start = 0; start < shared.length; start += size) {
    const members = shared.slice(start, start + size)
    const path = join(folder, groupName(groups.length + 1, members))
    writeFileSync(path, groupText(members))
    groups.push(path)
  }
  const others = files.filter((file) => !shared.includes(file))
  return { entries: [...others, ...groups], remove: () => rmSync(folder, { recursive: true, force: true }) }
}

function sharesProcess(name: string): boolean {
  return together.test(name) && !alone.test(name)
}

/** Names its files, in case the process dies before they report. */
function groupName(number: number, members: readonly string[]): string {
  return `${number}-${members.map((file) => basename(file).replace(/\.\w+\.ts$/, '')).join('+')}${group_ending}`
}

/** Each file is loaded synchronously within its suite, so its tests become tests of this suite. */
function groupText(members: readonly string[]): string {
  const suites = members.map((file) => {
    const [name, path] = [relative(root, file), resolve(file)].map((text) => JSON.stringify(text))
    return `describe(${name}, () => {\n  require(${path})\n  after(() => noteProcessorTime(${name}))\n})\n`
  })
  const time = JSON.stringify(join(import.meta.dirname, 'processor-time.ts'))
  return [
    "const { after, describe } = require('node:test')\n",
    `const { noteProcessorTime } = require(${time})\n`,
    ...suites,
  ].join('')
}
