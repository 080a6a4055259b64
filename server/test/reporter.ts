/** One line a file, each failure in full below it, and at the end the list of failures and node's totals. */
import { AssertionError } from 'node:assert'
import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'

/** What is told of a test file while its results arrive. */
interface FileReport {
  /** The test being reported and the suites around it, by depth. */
  names: string[]
  failures: string[]
  /** What it wrote: shown only when something failed. */
  output: string
}

const paint = (colour: number, text: string) => (process.stdout.isTTY ? `\x1b[${colour}m${text}\x1b[0m` : text)
const green = (text: string) => paint(32, text)
const red = (text: string) => paint(31, text)

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files = new Map<string, FileReport>()
  const allFailures: string[] = []

  for await (const event of events) {
    const path = fileOf(event)
    const file = files.get(path) ?? { names: [], failures: [], output: '' }
    files.set(path, file)

    if (event.type === 'test:start') {
      file.names.splice(event.data.nesting, Number.POSITIVE_INFINITY, event.data.name)
    } else if (event.type === 'test:stdout' || event.type === 'test:stderr') {
      file.output += event.data.message
    } else if (event.type === 'test:fail') {
      const { error } = event.data.details
      if ('failureType' in error && error.failureType === 'subtestsFailed') continue
      const name = file.names.slice(0, event.data.nesting + 1).join(' › ')
      file.failures.push(`${red('✖')} ${name}\n${indent(causeOf(error))}\n`)
      allFailures.push(`${red('✖')} ${shown(event.data.file ?? path)}:${event.data.line ?? 1} ${name}\n`)
      // A file that died as a whole has no summary of its own.
      if (shown(event.data.name) === path) yield ended(path, file, 'ended early')
    } else if (event.type === 'test:summary' && path !== '') {
      const { counts, duration_ms } = event.data
      yield ended(path, file, `${counts.tests} tests, ${Math.round(duration_ms)} ms`)
    } else if (event.type === 'test:interrupted') {
      yield event.data.tests.map((test) => `${red('interrupted:')} ${test.file ?? ''} ${test.name}\n`).join('')
    } else if (event.type === 'test:diagnostic' && path === '') {
      if (allFailures.length > 0) yield `\n${red('failed:')}\n${allFailures.splice(0).join('')}\n`
      yield `ℹ ${event.data.message}\n`
    }
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
