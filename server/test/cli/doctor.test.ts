import assert from 'node:assert/strict'
import { chmodSync, globSync, openSync, readFileSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import pg from 'pg'
import { realmsOf } from '../../src/api/write/realms.ts'
import { readConfig } from '../../src/config.ts'
import { openStore } from '../../src/db/open.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { call } from '../call.ts'
import { giveUpMail, giveUpNotice } from '../dead-mail.ts'
import { onEveryEngine } from '../engines.ts'
import { type Installation, newInstallation } from './installation.ts'

interface Check {
  readonly name: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly found: string
  readonly advice: string | null
}

/** The doctor's checks by name; its exit code must agree with them. */
async function examine(installation: Installation): Promise<Map<string, Check>> {
  const { code, out, err } = await installation.run(['doctor', '--json'])
  assert.equal(err, '')
  const { ok, checks } = JSON.parse(out) as { ok: boolean; checks: Check[] }
  const failed = checks.some((check) => check.status === 'fail')
  assert.deepEqual([ok, code], failed ? [false, 1] : [true, 0])
  for (const { status, advice } of checks) assert.equal(status === 'ok', advice === null)
  return new Map(checks.map((check) => [check.name, check]))
}

/** Returns the id of the organization. */
const found = async (installation: Installation): Promise<string> =>
  (await installation.initAcme()).organization as string

/** Three files of an organization with a workspace; returns their ids. */
async function uploadThree(installation: Installation, key: string): Promise<[string, string, string]> {
  const { process, url } = await installation.serve()
  const workspace = (await call(url, 'POST', '/v1/workspaces', { key, body: { title: 'Desk' } })).body.id
  const upload = async (raw: string) => {
    const reply = await call(url, 'POST', `/v1/files?workspace=${workspace}&name=note.txt`, { key, raw })
    assert.equal(reply.status, 200, reply.text)
    return reply.body.id as string
  }
  const ids: [string, string, string] = [await upload('whole'), await upload('gone'), await upload('cut off')]
  await process.kill()
  return ids
}

onEveryEngine('doctor', (engine) => {
  let installation: Installation
  let acme: string
  let key: string
  before(async () => {
    installation = await newInstallation(engine)
    const made = await installation.initAcme('--plan', 'enterprise')
    acme = made.organization
    key = made.api_key.secret
  })
  after(() => installation.remove())

  test('finds the settings that durability hangs on, beside a running server', async () => {
    const { process } = await installation.serve()
    const checks = await examine(installation)
    const durable: Record<string, Check['status']> = {}
    if (engine === 'sqlite') {
      assert.equal(checks.get('journal_mode')?.found, 'wal')
      assert.equal(checks.get('synchronous')?.found, 'full')
      assert.equal(checks.get('integrity')?.status, 'ok')
    } else {
      // The suite's own server may be told not to wait for the disk: then the doctor must say so.
      for (const name of ['fsync', 'full_page_writes']) {
        durable[name] = checks.get(name)?.found === 'on' ? 'ok' : 'fail'
        assert.equal(checks.get(name)?.status, durable[name])
      }
      assert.equal(checks.get('synchronous_commit')?.status, 'ok')
      assert.equal(checks.get('row_security')?.status, 'ok')
    }
    for (const name of ['atrium', 'node', 'database', 'migrations', 'secret_key', 'clock']) {
      assert.equal(checks.get(name)?.status, 'ok', name)
    }
    for (const name of ['file_system', 'disk']) assert.ok(checks.has(name))
    await process.kill()
  })

  test('tells people the same in lines', async () => {
    const { out } = await installation.run(['doctor'])
    assert.match(out, /^ok {4}migrations +all applied$/m)
    assert.match(out, /^(No check found a cause of data loss|This installation can lose data)\.$/m)
  })

  test('finds mails and notices that were given up, until they are sent again', async () => {
    assert.deepEqual(await deadLetters(), ['ok', 'none', null])
    const ids = await giveUpTwo(installation, acme)
    const advice = "'atrium mail dead' says why, and 'atrium mail retry' sends them again; so does the page Operator."
    assert.deepEqual(await deadLetters(), ['warn', '2 mails or notices were given up', advice])
    const { mails } = await installation.json('mail', 'dead')
    const listed = (mails as { id: string; kind: string; error: string }[]).map((mail) => [
      ...[mail.id, mail.kind, mail.error],
    ])
    assert.deepEqual(listed.toSorted(), [
      [ids[0], 'notice', '550 no such mailbox'],
      [ids[1], 'push', '403'],
    ])
    assert.doesNotMatch(JSON.stringify(mails), /secret/)
    assert.deepEqual(await installation.json('mail', 'retry'), { mails: 2 })
    assert.deepEqual(await deadLetters(), ['ok', 'none', null])
  })

  test('finds the files whose content is missing or incomplete', async () => {
    const [whole, gone, cut] = await uploadThree(installation, key)
    const place = join(installation.folder, 'files', 'content')
    assert.equal(
      (await examine(installation)).get('files')?.found,
      `the content of all files, 3 in total, is at ${place}`,
    )
    const contents = new Map(
      globSync('*/*/*', { cwd: place }).map((path) => [readFileSync(join(place, path), 'utf8'), join(place, path)]),
    )
    rmSync(contents.get('gone') as string)
    truncateSync(contents.get('cut off') as string, 3)
    const check = (await examine(installation)).get('files')
    assert.equal(check?.status, 'fail')
    const [, listed] = /^2 of 3 contents are missing or incomplete at .*: (.*)$/.exec(check?.found ?? '') ?? []
    assert.deepEqual(listed?.split(', ').toSorted(), [`${gone} (missing)`, `${cut} (3 of 7 bytes)`].toSorted())
    assert.doesNotMatch(check?.found ?? '', new RegExp(whole))
  })

  async function deadLetters() {
    const check = (await examine(installation)).get('dead_letters')
    return [check?.status, check?.found, check?.advice]
  }
})

/** A mail and a notice, given up. Returns their ids. */
async function giveUpTwo({ environment }: Installation, id: string): Promise<[mail: string, notice: string]> {
  const { databaseUrl } = readConfig({ ...environment })
  const store = await openStore(databaseUrl)
  try {
    const [live, other] = (await realmsOf(store, id)).map(({ realm }) => realm)
    const organization = { id, realms: { live: live as number, test: other as number } }
    const place = { services: { store, clock: systemClock } }
    return [await giveUpMail(place, organization, 'usr_1'), await giveUpNotice(place, organization, 'usr_1')]
  } finally {
    await store.close()
  }
}

describe('doctor, and the start, on SQLite', () => {
  let installation: Installation
  let file: string
  beforeEach(async () => {
    installation = await newInstallation('sqlite')
    file = join(installation.folder, 'atrium.db')
    await found(installation)
  })
  afterEach(() => installation.remove())

  /** Leaves the log of several commits, as a killed process does. */
  function leaveLog(): void {
    const database = new DatabaseSync(file)
    database.exec('pragma wal_autocheckpoint=0')
    for (let i = 0; i < 5; i++) database.exec(`update migrations set applied = applied + ${i}`)
    const left = [file, `${file}-wal`].map((path) => [path, readFileSync(path)] as const)
    database.close()
    for (const [path, bytes] of left) writeFileSync(path, bytes)
  }

  test('find that the secret key is gone, and do not make another', async () => {
    rmSync(join(installation.folder, 'secret.key'))
    assert.equal((await examine(installation)).get('secret_key')?.status, 'fail')
    const { code, err } = await installation.run(['serve'])
    assert.equal(code, 1)
    assert.match(err, /^atrium serve: [^\n]*secret\.key is missing, [^\n]*ATRIUM_SECRET_KEY\.\n$/)
    assert.equal((await examine(installation)).get('secret_key')?.status, 'fail')
  })

  test('find a secret key that others can read', async () => {
    chmodSync(join(installation.folder, 'secret.key'), 0o644)
    const check = (await examine(installation)).get('secret_key')
    assert.equal(check?.status, 'warn')
    assert.match(check?.found ?? '', /mode 0644$/)
  })

  test('find a flipped bit of the write-ahead log, which the doctor leaves and the start corrects', async () => {
    leaveLog()
    const log = readFileSync(`${file}-wal`)
    const at = 32 + 24 + 100
    log.writeUInt8(log.readUInt8(at) ^ 4, at)
    writeFileSync(`${file}-wal`, log)
    const database = readFileSync(file)
    for (let i = 0; i < 2; i++) {
      const checks = await examine(installation)
      const { status, found } = checks.get('write_ahead_log') as Check
      assert.deepEqual([status, found], ['warn', `${file}-wal has a flipped bit in what begins at byte 32`])
      assert.equal(checks.has('integrity'), false)
    }
    assert.deepEqual([readFileSync(`${file}-wal`), readFileSync(file)], [log, database])
    assert.equal((await installation.run(['workers'])).code, 0)
    const checks = await examine(installation)
    assert.deepEqual([checks.has('write_ahead_log'), checks.get('integrity')?.status], [false, 'ok'])
  })

  test('find a write-ahead log that the start refuses, and leave it', async () => {
    leaveLog()
    const log = readFileSync(`${file}-wal`)
    log.fill(0xee, 32 + 24 + 512, 32 + 24 + 1024)
    writeFileSync(`${file}-wal`, log)
    const check = (await examine(installation)).get('write_ahead_log')
    assert.equal(check?.status, 'fail')
    assert.match(check?.found ?? '', /atrium\.db-wal is damaged: frame 1 /)
    assert.deepEqual(readFileSync(`${file}-wal`), log)
  })

  test('find a database that is damaged', async () => {
    const damaged = openSync(file, 'r+')
    for (let page = 10; page < 20; page++) writeSync(damaged, Buffer.alloc(2000, 0xff), 0, 2000, page * 4096)
    const check = (await examine(installation)).get('integrity')
    assert.equal(check?.status, 'fail')
  })

  test('refuse a database that a newer version has migrated, and find one that is behind', async () => {
    change("insert into migrations values ('9999_later', 0)")
    assert.equal((await examine(installation)).get('migrations')?.status, 'fail')
    for (const words of [['serve'], ['migrate'], ['workers'], ['backup', join(installation.folder, 'a.gz')]]) {
      const { code, err } = await installation.run(words)
      assert.equal(code, 1, words.join(' '))
      assert.equal(
        err,
        `atrium ${words[0]}: A newer version of Atrium has migrated the database (9999_later). Run that version or a later one.\n`,
      )
    }
    change("delete from migrations where name <> '0001_core'")
    assert.equal((await examine(installation)).get('migrations')?.status, 'warn')
    const { code, message } = await installation.refused('workers')
    assert.equal(code, 1)
    assert.match(message, /^The database is not up to date /)
  })

  test('find a clock that is behind the newest entry', async () => {
    change('update events set created = created + 3600000')
    assert.equal((await examine(installation)).get('clock')?.status, 'warn')
  })

  test('audit verify tells the first wrong entry and exits with 1', async () => {
    change("update audit_entries set entry = replace(entry, 'system', 'nobody')")
    const { code, out } = await installation.run(['audit', 'verify', '--json'])
    assert.equal(code, 1)
    const verdict = JSON.parse(out)
    assert.deepEqual([verdict.ok, verdict.sequence, verdict.problem], [false, 1, 'changed'])
    const text = await installation.run(['audit', 'verify'])
    assert.deepEqual([text.code, text.err], [1, ''])
    assert.match(text.out, /^org_\w+: Entry 1 is changed: /)
  })

  function change(statement: string): void {
    const database = new DatabaseSync(file)
    database.exec(statement)
    database.close()
  }
})

describe('doctor on PostgreSQL', () => {
  let installation: Installation
  before(async () => {
    installation = await newInstallation('postgres')
    await found(installation)
  })
  after(() => installation.remove())

  test('finds a table whose rows other tenants could see; commits wait even where the database is set not to', async () => {
    const client = new pg.Client(installation.environment.ATRIUM_DATABASE_URL)
    await client.connect()
    await client.query('alter table tasks disable row level security')
    await client.query(
      `do $$ begin execute format('alter database %I set synchronous_commit = off', current_database()); end $$`,
    )
    await client.end()
    const checks = await examine(installation)
    assert.equal(checks.get('row_security')?.status, 'warn')
    assert.equal(checks.get('row_security')?.found, 'not in force on tasks')
    assert.deepEqual([checks.get('synchronous_commit')?.status, checks.get('synchronous_commit')?.found], ['ok', 'on'])
  })
})
