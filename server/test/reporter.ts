/**
 * One line per file, with each failure in full below it; at the end the failures again in one line each, the slowest files,
 * those that used the most processor time, and the totals of all runs reported. A file that shares its process with others (`groups.ts`) is a suite of that process.
 */
import { AssertionError } from 'node:assert'
import { relative, resolve } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { inspect, stripVTControlCharacters } from 'node:util'
import { group_ending } from './groups.ts'

/** What is known of a test file while its results arrive. */
interface FileReport {
  /** The test being reported and the suites around it, by depth. */
  names: string[]
  failures: string[]
  /** What it wrote: shown only if something failed. */
  output: string
  tests: number
}

interface EndedFile {
  readonly path: string
  readonly ms: number
}

const blank = (): FileReport => ({ names: [], failures: [], output: '', tests: 0 })

/** A line of what the runner says of each run. */
const count_line = /^(?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/

const slowest_shown = 10
const cause_lines_shown = 12

const paint = (colour: number, text: string) => (process.stdout.isTTY ? `\x1b[${colour}m${text}\x1b[0m` : text)
const green = (text: string) => paint(32, text)
const red = (text: string) => paint(31, text)

/** Adds the files that hold a failure to `failed`. `readTimes` tells the processor time of each file when all have ended. */
export default async function* report(
  events: AsyncIterable<TestEvent>,
  failed = new Set<string>(),
  readTimes: () => ReadonlyMap<string, number> = () => new Map(),
): AsyncGenerator<string> {
  const started = performance.now()
  const files = new Map<string, FileReport>()
  const ended: EndedFile[] = []
  const failures: string[] = []
  const totals = { tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 }

  for await (const event of events) {
    const path = fileOf(event)
    const file = files.get(path) ?? blank()
    files.set(path, file)

    if (event.type === 'test:start') {
      file.names.splice(event.data.nesting, Number.POSITIVE_INFINITY, event.data.name)
    } else if (event.type === 'test:stdout' || event.type === 'test:stderr') {
      file.output += event.data.message
    } else if (event.type === 'test:diagnostic' && !count_line.test(event.data.message)) {
      // What a test left running and failed after its end ends the process, and is said nowhere else.
      file.output += `${event.data.message}\n`
    } else if (event.type === 'test:pass' || event.type === 'test:fail') {
      const { nesting, details, name } = event.data
      if (event.type === 'test:fail') {
        const failure = describeFailure(event, path, file)
        file.failures.push(...failure.whole)
        failures.push(...failure.short)
        if (failure.short.length > 0) failed.add(path.endsWith(group_ending) ? memberOf(path, file) : path)
        // A file that died as a whole has no summary.
        if (shown(name) === path) yield fileLine(path, file, describeDeath(event.data.details.error))
      }
      if (details.type !== 'suite') file.tests++
      if (nesting > 0 || details.type !== 'suite' || !path.endsWith(group_ending)) continue
      yield fileLine(name, file, `${file.tests} tests, ${Math.round(details.duration_ms)} ms`)
      ended.push({ path: name, ms: details.duration_ms })
      files.set(path, blank())
    } else if (event.type === 'test:summary') {
      const { counts, duration_ms } = event.data
      if (path === '') addCounts(totals, counts)
      else if (!path.endsWith(group_ending)) {
        yield fileLine(path, file, `${counts.tests} tests, ${Math.round(duration_ms)} ms`)
        ended.push({ path, ms: duration_ms })
      }
    }
  }
  if (failures.length > 0) yield `\n${red('failed:')}\n${failures.join('')}\n`
  if (ended.length > slowest_shown) yield slowestLines('slowest', ended)
  const used = [...readTimes()].map(([path, ms]) => ({ path, ms }))
  if (used.length > slowest_shown) yield slowestLines('most processor time', used)
  if (used.length > 0) yield `ℹ processor_ms ${used.reduce((sum, { ms }) => sum + ms, 0)}\n`
  for (const [name, count] of Object.entries(totals)) yield `ℹ ${name} ${count}\n`
  yield `ℹ duration_ms ${Math.round(performance.now() - started)}\n`
}

/** The file of a group that is being reported; the group itself if it died as a whole. */
function memberOf(group: string, { names: [member] }: FileReport): string {
  return member === undefined || resolve(member) === resolve(group) ? group : member
}

/** The types of Node lack `failed`. */
type Counts = Extract<TestEvent, { type: 'test:summary' }>['data']['counts'] & { readonly failed?: number }

function addCounts(totals: Record<string, number>, counts: Counts): void {
  const { passed: pass, failed: fail = 0, tests, suites, cancelled, skipped, todo } = counts
  for (const [name, count] of Object.entries({ tests, suites, pass, fail, cancelled, skipped, todo }))
    totals[name] = (totals[name] ?? 0) + count
}

function slowestLines(title: string, ended: readonly EndedFile[]): string {
  const slowest = ended.toSorted((a, b) => b.ms - a.ms).slice(0, slowest_shown)
  return `\n${title}:\n${slowest.map(({ path, ms }) => `  ${(ms / 1000).toFixed(1).padStart(6)} s  ${path}\n`).join('')}\n`
}

/** A failure in full and in one line; nothing for a suite that failed only because a test in it did. */
function describeFailure(event: Extract<TestEvent, { type: 'test:fail' }>, path: string, { names }: FileReport) {
  const { nesting, details, file, line } = event.data
  const { error } = details
  if ('failureType' in error && error.failureType === 'subtestsFailed') return { whole: [], short: [] }
  const name = names.slice(0, nesting + 1).join(' › ')
  return {
    whole: [`${red('✖')} ${name}\n${indent(describeCause(error))}\n`],
    short: [`${red('✖')} ${shown(file ?? path)}:${line ?? 1} ${name}\n${indent(firstLines(error))}\n`],
  }
}

/** Enough of the cause to know it where only the end of a log is kept. */
function firstLines(error: Error): string {
  return describeCause(error).split('\n').slice(0, cause_lines_shown).join('\n')
}

function describeDeath(error: Error): string {
  const { exitCode, signal } = error as { exitCode?: number | null; signal?: string | null }
  return ['ended early', exitCode && `exit code ${exitCode}`, signal].filter(Boolean).join(', ')
}

function fileLine(path: string, { failures, output }: FileReport, outcome: string): string {
  if (failures.length === 0) return `${green('✔')} ${path} (${outcome})\n`
  return `${red('✖')} ${path} (${outcome})\n${indent(failures.join(''))}\n${output && `${indent(`output:\n${output}`)}\n`}`
}

/** The file that was run, even if a module it imports declares the test; empty for events about the whole run. */
function fileOf({ data }: TestEvent): string {
  const { entryFile, file } = (data ?? {}) as { entryFile?: string; file?: string }
  const path = entryFile ?? file
  return path === undefined ? '' : shown(path)
}

function shown(path: string): string {
  return relative(process.cwd(), path)
}

function describeCause(error: Error): string {
  const { cause } = error
  if (cause instanceof AssertionError) return cause.stack ?? cause.message
  const text =
    typeof cause === 'object' && cause !== null ? inspect(cause, { colors: process.stdout.isTTY }) : error.message
  // Playwright colours its messages wherever they are written.
  return process.stdout.isTTY ? text : stripVTControlCharacters(text)
}

function indent(text: string): string {
  return text.trimEnd().replace(/^(?=.)/gm, '  ')
}
