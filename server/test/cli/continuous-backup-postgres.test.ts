/**
 * The continuous backup of a PostgreSQL server in a bucket, as its operator runs it. The server is the test's own, because the whole
 * cluster is copied. The proof row `follow` uses a folder.
 */
import assert from 'node:assert/strict'
import { chownSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { checkFollowerSlot } from '../../src/cli/doctor-backup.ts'
import { call } from '../call.ts'
import { test_secret_key } from '../environment.ts'
import { type Postgres, programsFolder, startPostgres } from '../postgres.ts'
import { type S3Server, startS3 } from '../s3-server.ts'
import { Installation } from './installation.ts'
import type { Environment, Watched } from './terminal.ts'

const key_of_backup = { ATRIUM_BACKUP_KEY: Buffer.alloc(32, 9).toString('base64') }

describe('backup --follow, restore --at and backup --drill of PostgreSQL', () => {
  let server: Postgres
  let s3: S3Server
  let installation: Installation
  let folder: string
  let objects: string
  let destination: string
  let url: string
  let key: string
  let encrypted: Environment
  let moment: string

  before(async () => {
    server = await startPostgres()
    folder = mkdtempSync(join(tmpdir(), 'atrium-continuous-'))
    // The account of the server may enter it, so a restored server runs under the same account.
    const { uid, gid } = statSync(server.dataDir)
    chownSync(folder, uid, gid)
    objects = mkdtempSync(join(folder, 'objects-'))
    s3 = await startS3(objects)
    const { ATRIUM_FILES_URL: bucket = '', ...pair } = s3.environment
    destination = bucket.replace('/one/two', '/continuous')
    encrypted = { ...pair, ...key_of_backup, ATRIUM_POSTGRES_PROGRAMS: await programsFolder() }
    const data = mkdtempSync(join(tmpdir(), 'atrium-test-'))
    const environment = {
      ...{ ATRIUM_DATA_DIR: data, ATRIUM_PORT: '0', ATRIUM_DATABASE_URL: server.url },
      ...{ ATRIUM_SECRET_KEY: test_secret_key, ATRIUM_CREDITS_PER_MINUTE: 'unlimited' },
    }
    installation = new Installation(data, environment, async () => rmSync(data, { recursive: true }))
    key = (await installation.initAcme()).api_key.secret
    url = (await installation.serve()).url
  })
  after(async () => {
    await installation.remove()
    await server.stop()
    await s3.close()
    rmSync(folder, { recursive: true })
  })

  const make = (title: string) => call(url, 'POST', '/v1/workspaces', { key, body: { title } })
  const run = (words: string[], environment: Environment = {}) =>
    installation.run([...words, '--json'], { environment: { ...encrypted, ...environment } })
  const query = async (text: string, at = server.url) => {
    const client = new pg.Client(at)
    await client.connect()
    return (await client.query(text).finally(() => client.end())).rows
  }
  /** The names of objects, in order. */
  const names = () =>
    readdirSync(objects, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('_object'))
      .sort()
  const chains = () => new Set(names().flatMap((name) => /chains\/([^/]+)/.exec(name)?.[1] ?? [])).size

  async function follow(): Promise<Watched> {
    const follower = installation.start(['backup', '--follow', destination], encrypted)
    await follower.until(() => follower.log.some(({ msg }) => String(msg).startsWith('following')), 'that it follows')
    if (follower.log.some(({ msg }) => msg === 'following in a new chain')) await follower.line('stored a base')
    return follower
  }
  async function finish(follower: Watched): Promise<void> {
    follower.signal('SIGTERM')
    assert.equal(await follower.exit(), 0, follower.err)
  }

  /** The workspaces in restored files, as a server over them shows them. */
  async function titlesIn(files: string): Promise<string[]> {
    const dataDir = mkdtempSync(join(folder, 'started-'))
    renameSync(files, join(dataDir, 'cluster'))
    writeFileSync(join(dataDir, 'password'), readFileSync(join(server.dataDir, 'password')))
    const { uid, gid } = statSync(server.dataDir)
    chownSync(dataDir, uid, gid)
    await using restored = await startPostgres({ dataDir })
    return (await query('select title from workspaces order by title', restored.url)).map(({ title }) => title)
  }

  test('a follower copies what is committed, also after it or the server was killed, and ends on a signal', async () => {
    const killed = await follow()
    assert.equal(killed.log[0]?.level, 'warn')
    assert.match(String(killed.log[0]?.msg), /^max_slot_wal_keep_size of PostgreSQL is unlimited/)
    await make('Before')
    moment = (await query('select clock_timestamp() as at'))[0].at.toISOString()
    await make('After')
    const doctor = (await run(['doctor'])).out
    assert.match(doctor, /"name":"standbys","status":"ok","found":"none"/)
    assert.match(doctor, /"name":"backup_slot","status":"ok","found":"PostgreSQL keeps \d+ MiB of its log/)
    const second = await run(['backup', '--follow', destination])
    assert.match(second.err, /Another 'atrium backup --follow' copies this database/)
    // On another machine only the slot shows it.
    const elsewhere = { ATRIUM_DATA_DIR: mkdtempSync(join(folder, 'elsewhere-')) }
    assert.match((await run(['backup', '--unfollow', destination], elsewhere)).err, /A process follows the database/)
    const third = installation.start(['backup', '--follow', destination], { ...encrypted, ...elsewhere })
    await third.line('the backup is behind')
    assert.match(String(third.log.at(-1)?.reason), /another process follows this database: .+ is active for PID/)
    await third.kill()
    assert.equal(chains(), 1, 'no chain was begun')
    await killed.kill()
    await make('While no follower ran')
    const follower = await follow()
    await server.kill()
    await server.restart()
    await make('After a crash')
    await finish(follower)
    assert.equal(chains(), 1)
    assert.deepEqual(
      [
        { active: false, bytes: 2 ** 31 },
        { active: true, bytes: 2 ** 31 },
        { active: false, bytes: null },
      ].map((slot) => checkFollowerSlot(slot)[0]?.status),
      ['warn', 'ok', 'warn'],
    )
    const slots = await query("select active from pg_replication_slots where slot_name like 'atrium_backup_%'")
    assert.deepEqual(slots, [{ active: false }])
  })

  test('a moment between two commits is restored as it was, into files that a server starts with', async () => {
    const into = join(folder, 'moment')
    const { code, out, err } = await run(['restore', destination, '--at', moment, '--into', into])
    assert.equal(code, 0, err)
    const { covered, audit_entries, release, database, files } = JSON.parse(out)
    assert.ok(covered <= Date.parse(moment) && audit_entries > 0)
    assert.deepEqual([release, database, files.missing.count], [18, 'postgres', 0])
    assert.match((await run(['restore', destination, '--into', into])).err, /is not empty: a restore never replaces/)
    assert.deepEqual(await titlesIn(into), ['Before'])

    const newest = join(folder, 'newest')
    assert.equal((await run(['restore', destination, '--into', newest])).code, 0)
    assert.deepEqual(await titlesIn(newest), ['After', 'After a crash', 'Before', 'While no follower ran'])
  })

  test('what cannot be followed or restored is refused in one line', async () => {
    await query("create role plain login password 'plain'; grant pg_read_all_data to plain")
    const plain = new URL(server.url)
    Object.assign(plain, { username: 'plain', password: 'plain' })
    const into = ['--into', join(folder, 'refused')]
    const lines: [words: string[], environment: Environment, message: RegExp][] = [
      [['restore', destination], {}, /the backup of a server, PostgreSQL 18: name the folder .+ with --into/],
      [['restore', destination, ...into, '--at', '2001-01-01T00:00:00Z'], {}, /its first moment is 20/],
      [
        ['restore', destination, ...into],
        { ATRIUM_POSTGRES_PROGRAMS: folder },
        /there is no program .+ needs PostgreSQL 18/i,
      ],
      [
        ['restore', destination, ...into],
        { ATRIUM_SECRET_KEY: Buffer.alloc(32).toString('base64') },
        /another secret key/,
      ],
      [['restore', destination, '--into', join(folder, 'a/b')], {}, /There is no folder .+\/a for --into/],
      [['backup', '--follow', destination], { ATRIUM_DATABASE_URL: plain.href }, /lacks the attribute REPLICATION/],
    ]
    for (const [words, environment, message] of lines) {
      const { code, err } = await run(words, environment)
      assert.equal(code, 1, err)
      assert.match(JSON.parse(err).error.message, message)
    }
    assert.equal(statSync(join(folder, 'refused'), { throwIfNoEntry: false }), undefined)
    assert.equal(statSync(join(folder, 'refused.restoring'), { throwIfNoEntry: false }), undefined)
  })

  test('a drill over a damaged object fails and names it, and the doctor shows that', async () => {
    const path = join(objects, names().findLast((each) => each.includes('/log/')) ?? assert.fail('no segment'))
    const kept = readFileSync(path)
    writeFileSync(path, kept.subarray(1))
    const { code, out } = await run(['backup', '--drill', destination])
    writeFileSync(path, kept)
    assert.equal(code, 1)
    assert.match(JSON.parse(out).message, /log\/000000\/\d+-\d+ is damaged or incomplete/)
    assert.match((await run(['doctor'])).out, /"name":"backup_drill","status":"fail"/)
    assert.match((await call(url, 'GET', '/metrics')).text, /^atrium_backup_covered_seconds \d+/m)
  })

  test('a log that the server no longer keeps begins a new chain, over which a drill succeeds', async () => {
    const ended = await run(['backup', '--unfollow', destination])
    assert.deepEqual([ended.code, JSON.parse(ended.out).slot_dropped], [0, true])
    assert.deepEqual(await query('select slot_name from pg_replication_slots'), [])
    // Nothing keeps the log now: the server may remove the file in which the chain ends.
    await query('select pg_switch_wal(); checkpoint')
    await make('In the next file')
    await query('select pg_switch_wal(); checkpoint')
    await finish(await follow())
    assert.equal(chains(), 2)

    const drill = await run(['backup', '--drill', destination])
    assert.equal(drill.code, 0, drill.out)
    const { message, restored } = JSON.parse(drill.out)
    assert.match(
      message,
      /^Restored the state of 20.+: every file is whole, and the audit log with \d+ entries is intact/,
    )
    assert.deepEqual([restored.engine, restored.missing_files.count], ['postgres', 0])
    assert.match((await run(['doctor'])).out, /"name":"backup_drill","status":"ok"/)
  })
})
