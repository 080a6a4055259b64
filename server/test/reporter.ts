/**
 * One line a file, each failure in full below it, and at the end the list of failures and node's totals. A file that shares its
 * process with others (`groups.ts`) is a suite there.
 */
import { AssertionError } from 'node:assert'
import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'
import { group_ending } from './groups.ts'

/** What is told of a test file while its results arrive. */
interface FileReport {
  /** The test being reported and the suites around it, by depth. */
  names: string[]
  failures: string[]
  /** What it wrote: shown only when something failed. */
  output: string
  tests: number
}

const blank = (): FileReport => ({ names: [], failures: [], output: '', tests: 0 })

const paint = (colour: number, text: string) => (process.stdout.isTTY ? `\x1b[${colour}m${text}\x1b[0m` : text)
const green = (text: string) => paint(32, text)
const red = (text: string) => paint(31, text)

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files = new Map<string, FileReport>()
  const allFailures: string[] = []

  for await (const event of events) {
    const path = fileOf(event)
    const file = files.get(path) ?? blank()
    files.set(path, file)

    if (event.type === 'test:start') {
      file.names.splice(event.data.nesting, Number.POSITIVE_INFINITY, event.data.name)
    } else if (event.type === 'test:stdout' || event.type === 'test:stderr') {
      file.output += event.data.message
    } else if (event.type === 'test:pass' || event.type === 'test:fail') {
      const { nesting, details } = event.data
      if (event.type === 'test:fail') {
        const failure = failureOf(event, path, file)
        file.failures.push(...failure.whole)
        allFailures.push(...failure.short)
      }
      if (details.type !== 'suite') file.tests++
      // A file that died as a whole has no summary of its own.
      if (event.type === 'test:fail' && shown(event.data.name) === path) yield ended(path, file, 'ended early')
      if (nesting > 0 || details.type !== 'suite' || !path.endsWith(group_ending)) continue
      yield ended(event.data.name, file, told(file.tests, details.duration_ms))
      files.set(path, blank())
    } else if (event.type === 'test:summary' && path !== '' && !path.endsWith(group_ending)) {
      yield ended(path, file, told(event.data.counts.tests, event.data.duration_ms))
    } else if (event.type === 'test:interrupted') {
      yield event.data.tests.map((test) => `${red('interrupted:')} ${test.file ?? ''} ${test.name}\n`).join('')
    } else if (event.type === 'test:diagnostic' && path === '') {
      if (allFailures.length > 0) yield `\n${red('failed:')}\n${allFailures.splice(0).join('')}\n`
      yield `ℹ ${event.data.message}\n`
    }
  }
}

function told(tests: number, duration_ms: number): string {
  return `${tests} tests, ${Math.round(duration_ms)} ms`
}

/** A failure in full and in one line; nothing for what failed only because something in it did. */
function failureOf(event: Extract<TestEvent, { type: 'test:fail' }>, path: string, { names }: FileReport) {
  const { nesting, details, file, line } = event.data
  const { error } = details
  if ('failureType' in error && error.failureType === 'subtestsFailed') return { whole: [], short: [] }
  const name = names.slice(0, nesting + 1).join(' › ')
  return {
    whole: [`${red('✖')} ${name}\n${indent(causeOf(error))}\n`],
    short: [`${red('✖')} ${shown(file ?? path)}:${line ?? 1} ${name}\n`],
  }
}

function ended(path: string, { failures, output }: FileReport, what: string): string {
  if (failures.length === 0) return `${green('✔')} ${path} (${what})\n`
  return `${red('✖')} ${path} (${what})\n${indent(failures.join(''))}\n${output && `${indent(`output:\n${output}`)}\n`}`
}

/** The file that was run, even when a module it imports declares the test; empty for what concerns the whole run. */
function fileOf({ data }: TestEvent): string {
  const { entryFile, file } = (data ?? {}) as { entryFile?: string; file?: string }
  const path = entryFile ?? file
  return path === undefined ? '' : shown(path)
}

function shown(path: string): string {
  return relative(process.cwd(), path)
}

function causeOf(error: Error): string {
  const { cause } = error
  if (cause instanceof AssertionError) return cause.stack ?? cause.message
  return typeof cause === 'object' && cause !== null ? inspect(cause, { colors: process.stdout.isTTY }) : error.message
}

function indent(text: string): string {
  return text.trimEnd().replace(/^(?=.)/gm, '  ')
}
