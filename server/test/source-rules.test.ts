/** Rules for the server's source that dependency-cruiser cannot check: where clock, chance and the engine's name appear. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

const source = join(import.meta.dirname, '../src')

interface Rule {
  readonly title: string
  readonly pattern: RegExp
  /** Paths that may match: folders end in `/`. The reason stands beside each. */
  readonly allowed: Readonly<Record<string, string>>
  readonly instead: string
}

const rules: readonly Rule[] = [
  {
    title: 'read the time from the services’ clock, which tests move',
    pattern: /\bDate\.now\b|\bnew Date\(\)/,
    allowed: {
      'lib/clock.ts': 'defines the system clock',
      'db/sqlite/reader-files.ts': 'compares times of files, which the system clock sets',
      'cli/': 'a client in a process of its own',
      'imports/': 'runs in clients: the command line and browsers',
    },
    instead: 'Use `services.clock.now()`, or the `now` of the handler or transaction.',
  },
  {
    title: 'take chance from lib/back-off.ts, so that delays are bounded in one place',
    pattern: /\bMath\.random\b/,
    allowed: {
      'lib/back-off.ts': 'defines backoff and jitter',
      'cli/': 'a client in a process of its own',
      'resources/automation_runs/steps/outside.ts': 'draws the jitter before its transaction, which may run twice',
    },
    instead: 'Use `backOff` or `jittered` of lib/back-off.ts.',
  },
  {
    title: 'branch on the engine in db/ only',
    pattern: /\b(dialect|engine)\s*[!=]==\s*'|'(sqlite|postgres)'\s*[!=]==/,
    allowed: {
      'db/': 'the only code that knows an engine',
      'api/credits/charge.ts': 'processes share windows on PostgreSQL',
      'api/credits/credit-windows.ts': 'locks a window’s row on PostgreSQL',
      'resources/request_logs/retrieve.ts': 'other processes may not have written their entries yet',
      'resources/tasks/list.ts': 'SQLite returns a page of tasks as JSON text',
      'resources/tasks/list/read.ts': 'SQLite scans in slices, PostgreSQL in one statement',
      'resources/tasks/list/index-scan.ts': 'SQLite scans in slices',
      'resources/tasks/list/text-path.ts': 'FTS5 on SQLite, an array with GIN on PostgreSQL',
      'resources/tasks/shared/text-index.ts': 'FTS5 on SQLite, an array with GIN on PostgreSQL',
      'resources/tasks/text-grams.ts': 'FTS5 on SQLite, an array with GIN on PostgreSQL',
      'resources/tasks/shared/insert.ts': 'inserts terms one by one on SQLite, several per statement on PostgreSQL',
      'resources/organizations/found.ts': 'locks the table of realms on PostgreSQL',
      'search/': 'a full-text index on SQLite, words and hashes on PostgreSQL',
      'workers/scanner.ts': 'processes share one scanner on PostgreSQL',
      'workers/idle-wait.ts': 'notifications wake the followers of events on PostgreSQL',
      'workers/deliveries/courier.ts': 'locks several endpoints in id order on PostgreSQL',
      'workers/deliveries/results.ts': 'locks the endpoint’s row on PostgreSQL',
    },
    instead: 'Put the difference into a function of db/dialect.ts, or declare the file in this test with its reason.',
  },
]

const files = globSync('**/*.ts', { cwd: source, exclude: ['**/*.test.ts'] }).sort()
const lines = new Map(files.map((file) => [file, readFileSync(join(source, file), 'utf8').split('\n')]))

function matches(file: string, pattern: RegExp): string[] {
  return (lines.get(file) ?? []).flatMap((line, i) =>
    pattern.test(line) && !/^\s*(\*|\/\/|\/\*)/.test(line) ? [`server/src/${file}:${i + 1} ${line.trim()}`] : [],
  )
}

describe('Files of server/src', () => {
  for (const { title, pattern, allowed, instead } of rules) {
    it(title, () => {
      const isAllowed = (file: string): boolean =>
        Object.keys(allowed).some((path) => file === path || (path.endsWith('/') && file.startsWith(path)))
      const found = files.filter((file) => !isAllowed(file)).flatMap((file) => matches(file, pattern))
      assert.deepEqual(found, [], instead)
      const unused = Object.keys(allowed).filter(
        (path) => !files.some((file) => file.startsWith(path) && matches(file, pattern).length > 0),
      )
      assert.deepEqual(unused, [], 'Remove the paths that no longer need the exception from this test.')
    })
  }
})
