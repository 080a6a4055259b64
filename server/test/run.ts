/**
 * Runs the whole suite, or the files, folders and node options given: `node server/test/run.ts server/src/api`.
 * Tests find their PostgreSQL in ATRIUM_TEST_POSTGRES_URL; if the environment names one, none is started.
 * ATRIUM_TEST_POSTGRES_FSYNC=on makes its commits wait for the disk.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inGroups } from './groups.ts'
import { startPostgres } from './postgres.ts'

const root = join(import.meta.dirname, '../..')
const given = process.argv.slice(2)
const options = given.filter((argument) => argument.startsWith('-'))
const paths = given.filter((argument) => !argument.startsWith('-'))
const files =
  paths.length > 0
    ? paths.flatMap(testsOf)
    : ['server', 'console', 'bench', 'examples', 'sdk', 'proof'].flatMap((folder) => testsOf(join(root, folder)))

function testsOf(path: string): string[] {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return path.endsWith('.ts') ? [path] : []
  return globSync('**/*.test.ts', { cwd: path, exclude: ['**/node_modules'] })
    .sort()
    .map((file) => join(path, file))
}

/** Where there must be so much room for the databases of three files at a time, and then some. */
const memory_folder = '/dev/shm'
const memory_bytes_min = 4 * 2 ** 30

/**
 * Databases of tests lie in memory where there is room, unless TMPDIR says otherwise: they are thrown away after all, and a third
 * of the time would go to waiting for a disk. What cuts power and fills disks brings a file system of its own.
 */
function scratchFolder(): string {
  const isThere = process.env.TMPDIR === undefined && statSync(memory_folder, { throwIfNoEntry: false })?.isDirectory()
  if (!isThere) return tmpdir()
  const { bavail, bsize } = statfsSync(memory_folder)
  return bavail * bsize < memory_bytes_min ? tmpdir() : memory_folder
}

async function runTests(): Promise<number> {
  process.env.TMPDIR = scratchFolder()
  const named = process.env.ATRIUM_TEST_POSTGRES_URL
  const fsync = process.env.ATRIUM_TEST_POSTGRES_FSYNC === 'on'
  const postgres = named ? undefined : await startPostgres({ fsync })
  const groups = inGroups(files)
  try {
    const flags = [
      '--test',
      '--test-concurrency=3',
      '--test-timeout=240000',
      `--import=${join(import.meta.dirname, 'end.ts')}`,
    ]
    const reporter = `--test-reporter=${join(import.meta.dirname, 'reporter.ts')}`
    const child = spawn(process.execPath, [...flags, reporter, ...options, ...groups.entries], {
      env: {
        NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compile'), // each file is a process that loads most of the server
        ...process.env,
        ATRIUM_TEST_POSTGRES_URL: named ?? postgres?.url,
      },
      stdio: 'inherit',
    })
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
    const [code] = await once(child, 'exit')
    return code ?? 1
  } finally {
    groups.remove()
    await postgres?.stop()
  }
}

if (files.length === 0) {
  console.error(`no tests found: ${given.join(' ')}`)
  process.exitCode = 1
} else {
  process.exitCode = await runTests()
}
