/**
 * Runs the whole suite, or the files and folders given: `node server/test/run.ts server/src/api`. Options are passed to the
 * test processes: `--test-name-pattern=cursor`.
 *
 * Two lanes run side by side: browser stories, one file at a time because a browser keeps a core busy, and everything else,
 * four files at a time because they often wait. A lane with no files left takes those of the other.
 *
 * Tests find their PostgreSQL in ATRIUM_TEST_POSTGRES_URL; one is started unless the environment names it.
 * ATRIUM_TEST_POSTGRES_FSYNC=on makes its commits wait for the disk.
 *
 * With ATRIUM_TEST_CITUS_URL, the URL of a coordinator, or ATRIUM_TEST_CITUS_PROGRAMS, a folder with `initdb` and `postgres` of an
 * installation that has the extension, the tests of PostgreSQL run on a Citus cluster, and those of SQLite do not run.
 */
import { globSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { run } from 'node:test'
import type { TestEvent } from 'node:test/reporters'
import { buildConsole, isConsoleBuilt } from '../../console/build.ts'
import { unpackChromium } from './browser.ts'
import { startCitus } from './citus.ts'
import { inGroups } from './groups.ts'
import { startPostgres } from './postgres.ts'
import { countIdle, processor_time_variable, readProcessorTimes } from './processor-time.ts'
import report from './reporter.ts'

const root = join(import.meta.dirname, '../..')
const given = process.argv.slice(2)
const options = given.filter((argument) => argument.startsWith('-'))
const paths = given.filter((argument) => !argument.startsWith('-'))
const files =
  paths.length > 0
    ? paths.flatMap(testsOf)
    : ['server', 'console', 'bench', 'build', 'examples', 'sdk', 'proof'].flatMap((folder) =>
        testsOf(join(root, folder)),
      )

function testsOf(path: string): string[] {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return path.endsWith('.ts') ? [path] : []
  return globSync('**/*.{test,browser}.ts', { cwd: path, exclude: ['**/node_modules'] })
    .sort()
    .map((file) => join(path, file))
}

const isStory = (file: string) => file.endsWith('.browser.ts')

/** Ends a test that hangs. It says nothing about speed: a busy machine takes several times as long as a quiet one. */
const test_ms_max = 10 * 60_000

/** They take minutes, so they start first: one that started last would run alone in the end. */
const long =
  /kill|prism|follow|durability|conform\.test|serve\.test|egress\.test|crash\.test|fold\.test|crowd|log\.test|upgrade|catalogue-grows|power|adding|dry-run|commands\.test|first-start|release|kept-data/

interface Outcome {
  readonly passed: boolean
  readonly failed: ReadonlySet<string>
}

interface Lane {
  /** Files still to run. */
  readonly queue: string[]
  /** How many of them run at a time. */
  readonly slots: number
}

/** Reports on standard output. Returns the files with a failure, and whether every file ran to its end. */
async function runLanes(lanes: readonly Lane[], signal: AbortSignal): Promise<Outcome> {
  const imports = ['fast-imports.ts', 'end.ts'].map((name) => `--import=${join(import.meta.dirname, name)}`)
  const execArgv = [`--test-timeout=${test_ms_max}`, ...imports, ...options]
  const times = join(tmpdir(), `atrium-processor-times-${process.pid}`)
  writeFileSync(times, '')
  process.env[processor_time_variable] = times
  const idleShare = countIdle()
  const events = new PassThrough({ objectMode: true })
  let passed = true
  const runSlot = async (own: Lane): Promise<void> => {
    const nextFile = () => own.queue.shift() ?? lanes.find(({ queue }) => queue.length > 0)?.queue.shift()
    for (let file = nextFile(); file !== undefined && !signal.aborted; file = nextFile()) {
      for await (const event of run({ files: [file], execArgv, signal }) as AsyncIterable<TestEvent>) {
        if (event.type === 'test:summary') passed &&= event.data.success
        events.write(event)
      }
    }
  }
  const slots = lanes.flatMap((lane) => Array.from({ length: lane.slots }, () => runSlot(lane)))
  const ended = Promise.all(slots).finally(() => events.end())
  const failed = new Set<string>()
  for await (const text of report(events, failed, () => readProcessorTimes(times))) process.stdout.write(text)
  await ended
  // What lanes with more slots could gain.
  console.log(`ℹ idle_share ${idleShare().toFixed(2)}`)
  rmSync(times)
  return { passed: passed && !signal.aborted, failed }
}

/** More failures than this are not put down to a busy machine. */
const repeated_files_max = 5

/**
 * Runs the lanes. In a run of the whole suite, the files of a few failures run once more, alone: what fails again is broken,
 * what passes was too slow beside the other files. Both runs are reported. Returns whether every test passed in the end.
 */
async function runSuite(lanes: readonly Lane[], signal: AbortSignal): Promise<boolean> {
  const { passed, failed } = await runLanes(lanes, signal)
  if (passed || paths.length > 0 || signal.aborted || failed.size === 0 || failed.size > repeated_files_max)
    return passed
  console.log(`\nOnce more, alone: ${[...failed].join(', ')}`)
  return (await runLanes([{ queue: [...failed], slots: 1 }], signal)).passed
}

/** Where there must be room for the databases of all files that run at a time. */
const memory_folder = '/dev/shm'
const memory_bytes_min = 4 * 2 ** 30

/**
 * The tests' databases lie in memory where there is room, unless TMPDIR says otherwise: they are thrown away, and on a disk a
 * third of the time would be waiting for it. Tests that cut power or fill a disk bring their own file system.
 */
function scratchFolder(): string {
  const isThere = process.env.TMPDIR === undefined && statSync(memory_folder, { throwIfNoEntry: false })?.isDirectory()
  if (!isThere) return tmpdir()
  const { bavail, bsize } = statfsSync(memory_folder)
  return bavail * bsize < memory_bytes_min ? tmpdir() : memory_folder
}

/** The cluster of the environment, or a new one. Says so if the suite is not run on Citus. */
async function findCitus(): Promise<Partial<AsyncDisposable> | null> {
  const { ATRIUM_TEST_CITUS_URL: url, ATRIUM_TEST_CITUS_PROGRAMS: programs } = process.env
  if (url !== undefined) return {}
  if (programs === undefined) {
    console.log('Not run on Citus: neither ATRIUM_TEST_CITUS_URL nor ATRIUM_TEST_CITUS_PROGRAMS is set.')
    return null
  }
  const citus = await startCitus(programs)
  process.env.ATRIUM_TEST_CITUS_URL = citus.url
  return citus
}

/** Returns whether every test passed. */
async function runTests(): Promise<boolean> {
  process.env.TMPDIR = scratchFolder()
  // Each file is a process that loads most of the server.
  process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules/.cache/compile')
  const [stories, others] = [files.filter(isStory), files.filter((file) => !isStory(file))]
  if (stories.length > 0) {
    const built = isConsoleBuilt() ? null : buildConsole(join(root, 'console/dist'))
    await Promise.all([unpackChromium(), built])
  }
  const fsync = process.env.ATRIUM_TEST_POSTGRES_FSYNC === 'on'
  const citus = await findCitus()
  const isGiven = citus !== null || process.env.ATRIUM_TEST_POSTGRES_URL !== undefined
  const postgres = isGiven ? null : await startPostgres({ fsync })
  if (postgres !== null) process.env.ATRIUM_TEST_POSTGRES_URL = postgres.url
  const [storyGroups, otherGroups] = [inGroups(stories), inGroups(others)]
  const interruption = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interruption.abort())
  try {
    const longFirst = otherGroups.entries.toSorted((a, b) => Number(long.test(b)) - Number(long.test(a)))
    return await runSuite(
      [
        { queue: longFirst, slots: 4 },
        { queue: [...storyGroups.entries], slots: 1 },
      ],
      interruption.signal,
    )
  } finally {
    storyGroups.remove()
    otherGroups.remove()
    await postgres?.stop()
    await citus?.[Symbol.asyncDispose]?.()
  }
}

if (files.length === 0) {
  console.error(`No tests found: ${given.join(' ')}.`)
  process.exitCode = 1
} else {
  process.exitCode = (await runTests()) ? 0 : 1
}
