/** Acknowledged writes survive any crash of the server and of its database, and nothing happens twice. */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newDatabase } from '../engines.ts'
import { type Postgres, startPostgres } from '../postgres.ts'
import { type Installation, install, makeWorkspace } from './installation.ts'
import { endProcesses, type ServerProcess, serve } from './processes.ts'
import { assertReplays, assertSound, assertTasksAre, reading } from './soundness.ts'
import { Writers } from './writers.ts'

/** The long form is `npm run proof -- kill --long`. */
const cycles = 5
const writers_count = 8

let writing: Writers | null = null

afterEach(async () => {
  endProcesses()
  writing?.giveUp()
})

/** Eight writers of tasks. */
function taskWriters(workspace: string): Writers {
  let made = 0
  writing = new Writers(writers_count, (writer) => {
    const title = `Task ${++made} of writer ${writer}`
    return { path: '/v1/tasks', body: { workspace, title, labels: [`writer-${writer}`] } }
  })
  return writing
}

/** Checks everything that is visible from outside and inside after the last crash. */
async function assertIntact(installation: Installation, server: ServerProcess, writers: Writers): Promise<void> {
  assert.deepEqual(writers.wrong, [])
  assert.ok(server.alive(), server.log())
  await assertReplays(server.url, installation.key, writers.answered)
  await reading(installation.environment.ATRIUM_DATABASE_URL as string, async (reader) => {
    await assertSound(reader, installation.organization)
    await assertTasksAre(reader, installation, writers.answered)
  })
}

/** Kills the server repeatedly while clients write, each time shortly after it has begun to answer. */
async function crashServer(installation: Installation): Promise<void> {
  let server = await serve(installation.environment)
  const writers = taskWriters(await makeWorkspace(server.url, installation.key))
  writers.start(() => server.url, installation.key)
  for (let cycle = 0; cycle < cycles; cycle++) {
    await writers.more(randomInt(1, 60))
    await sleep(randomInt(0, 20))
    assert.ok(server.alive(), server.log())
    await server.kill()
    server = await serve(installation.environment)
  }
  await writers.more(writers_count)
  await writers.stop()
  await assertIntact(installation, server, writers)
  assert.equal(await server.stop(), 0, server.log())
}

describe('A server that is killed while eight clients write', () => {
  it(`loses and repeats nothing on SQLite, ${cycles} times over`, async () => {
    const database = await newDatabase('sqlite')
    try {
      await crashServer(await install(database.url, database.folder))
    } finally {
      await database.remove()
    }
  })
})

describe('PostgreSQL with commits that wait for the disk', () => {
  const on = async (test: (postgres: Postgres, installation: Installation) => Promise<void>) => {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-test-'))
    const postgres = await startPostgres({ fsync: true })
    try {
      await test(postgres, await install(postgres.url, folder))
    } finally {
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  }

  it(`keeps what a server acknowledged that is killed ${cycles} times`, () =>
    on((_postgres, installation) => crashServer(installation)))

  it('may itself be killed: the server survives it, refuses requests meanwhile, and loses and repeats nothing', () =>
    on(async (postgres, installation) => {
      const server = await serve(installation.environment)
      const writers = taskWriters(await makeWorkspace(server.url, installation.key))
      writers.start(() => server.url, installation.key)
      for (let cycle = 0; cycle < 3; cycle++) {
        await writers.more(randomInt(20, 100))
        await postgres.kill()
        await postgres.restart()
      }
      await writers.more(writers_count)
      await writers.stop()
      assert.equal(writers.seen.get(0), undefined, 'every request was answered')
      await assertIntact(installation, server, writers)
      assert.equal(await server.stop(), 0, server.log())
    }))
})
