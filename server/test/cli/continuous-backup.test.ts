/** The continuous backup as its operator runs it: a process beside the server, restores to a moment, drills. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { FolderDestination, namesBelow } from '../../src/db/backup/follow/destination.ts'
import { call } from '../call.ts'
import { test_secret_key } from '../environment.ts'
import { MailServer } from '../mail-server.ts'
import { startS3 } from '../s3-server.ts'
import { storedFiles } from '../stored-files.ts'
import { type Installation, newInstallation } from './installation.ts'
import type { Environment } from './terminal.ts'

/** Follows until the base is there and `use` has ended; then everything committed is at the destination. */
async function following(
  installation: Installation,
  destination: string,
  use: () => Promise<void>,
  environment: Environment = {},
): Promise<void> {
  const follower = installation.start(['backup', '--follow', destination], environment)
  await follower.until(() => follower.log.some(({ msg }) => String(msg).startsWith('following')), 'that it follows')
  if (follower.log.some(({ msg }) => msg === 'following in a new chain')) await follower.line('stored a base')
  await use()
  follower.signal('SIGTERM')
  assert.equal(await follower.exit(), 0, follower.err)
}

/** An empty installation with the secret key of another one. */
async function emptyCopy(of: Installation): Promise<Installation> {
  const other = await newInstallation('sqlite', { empty: true })
  copyFileSync(join(of.folder, 'secret.key'), join(other.folder, 'secret.key'))
  return other
}

async function titlesIn(installation: Installation, key: string): Promise<string[]> {
  const { url, process } = await installation.serve()
  const { body } = await call(url, 'GET', '/v1/workspaces', { key })
  await process.kill()
  return body.data.map(({ title }: { title: string }) => title).sort()
}

describe('backup --follow, restore --at and backup --drill', () => {
  let installation: Installation
  let destination: string
  let url: string
  let key: string
  let moment: string
  const encrypted = { ATRIUM_BACKUP_KEY: Buffer.alloc(32, 9).toString('base64') }
  const others: Installation[] = []
  before(async () => {
    installation = await newInstallation('sqlite')
    destination = mkdtempSync(join(tmpdir(), 'atrium-continuous-'))
    key = (await installation.initAcme()).api_key.secret
    url = (await installation.serve()).url
  })
  after(async () => {
    for (const each of [installation, ...others]) await each.remove()
    rmSync(destination, { recursive: true })
  })

  const make = (title: string) => call(url, 'POST', '/v1/workspaces', { key, body: { title } })
  const run = (of: Installation, ...words: string[]) => of.run([...words, '--json'], { environment: encrypted })
  const other = async () => {
    const made = await emptyCopy(installation)
    others.push(made)
    return made
  }

  test('a follower copies what is committed, also after it was killed, and ends on a signal', async () => {
    await following(installation, destination, async () => void (await make('Before')), encrypted)
    moment = new Date().toISOString()
    const killed = installation.start(['backup', '--follow', destination], encrypted)
    await killed.line('following')
    const second = await run(installation, 'backup', '--follow', destination)
    assert.match(second.err, /Another 'atrium backup --follow' copies /)
    await killed.kill()
    await make('After')
    const [chain = ''] = await new FolderDestination(destination).list('chains')
    const cut = join(destination, 'chains', chain, 'bases', '0000000000001')
    mkdirSync(cut)
    writeFileSync(join(cut, `part-0000001.${randomUUID()}.unfinished`), 'a part')
    writeFileSync(join(destination, `atrium-backup.${randomUUID()}.unfinished`), '')
    writeFileSync(join(destination, 'notes.unfinished'), 'of a person')
    await following(installation, destination, async () => {}, encrypted)
    assert.deepEqual(await new FolderDestination(destination).list('chains'), [chain])
    const left = readdirSync(destination, { recursive: true }).filter((name) => String(name).endsWith('unfinished'))
    assert.deepEqual([left, existsSync(cut)], [['notes.unfinished'], false], 'what killed followers left is removed')
    rmSync(join(destination, 'notes.unfinished'))
  })

  test('a moment is restored as it was, verified, into a place without a database', async () => {
    const target = await other()
    const { code, out, err } = await run(target, 'restore', destination, '--at', moment)
    assert.equal(code, 0, err)
    const { covered, audit_entries, files } = JSON.parse(out)
    assert.ok(covered <= Date.parse(moment) && audit_entries > 0)
    assert.deepEqual(files, { restored: 0, missing: { count: 0, keys: [] } })
    assert.deepEqual(await titlesIn(target, key), ['Before'])

    const again = await run(target, 'restore', destination)
    assert.equal(again.code, 1)
    assert.match(again.err, /The database .+ exists: restore into another folder/)

    const newest = await other()
    assert.equal((await run(newest, 'restore', destination)).code, 0)
    assert.deepEqual(await titlesIn(newest, key), ['After', 'Before'])
  })

  test('what cannot be restored is refused in one line, and nothing is left behind', async () => {
    const target = await other()
    const lines: [words: string[], environment: Environment, code: number, message: RegExp][] = [
      [['--at', '2001-01-01T00:00:00Z'], encrypted, 1, /cannot restore the state at 2001-.+ its first moment is 20/],
      [['--at', 'noon'], encrypted, 2, /'noon' is invalid\. It must be a time with its zone/],
      [[], {}, 1, /is encrypted: set ATRIUM_BACKUP_KEY to its key/],
      [[], { ATRIUM_BACKUP_KEY: Buffer.alloc(32, 1).toString('base64') }, 1, /ATRIUM_BACKUP_KEY is not the key of /],
      [[], { ATRIUM_BACKUP_KEY: 'short' }, 1, /ATRIUM_BACKUP_KEY must be 32 bytes in base64/],
      [[], { ...encrypted, ATRIUM_SECRET_KEY: test_secret_key }, 1, /made with another secret key/],
      [
        [],
        { ...encrypted, ATRIUM_DATABASE_URL: 'postgres://127.0.0.1:1/x', ATRIUM_SECRET_KEY: test_secret_key },
        1,
        /is restored into SQLite/,
      ],
    ]
    for (const [words, environment, code, message] of lines) {
      const refused = await target.run(['restore', destination, ...words, '--json'], { environment })
      assert.equal(refused.code, code, refused.err)
      assert.match(JSON.parse(refused.err).error.message, message)
    }
    assert.deepEqual(readdirSync(target.folder), ['secret.key'])
  })

  test('a drill succeeds, and the doctor and the metrics show its result and the state of the follower', async () => {
    const { code, out } = await run(installation, 'backup', '--drill', destination)
    assert.equal(code, 0, out)
    const { ok, message, restored } = JSON.parse(out)
    assert.equal(ok, true)
    assert.match(
      message,
      /^Restored the state of 20.+: every page is whole, and the audit log with \d+ entries is intact\.$/,
    )
    assert.equal(restored.missing_files.count, 0)
    const { checks } = JSON.parse((await installation.run(['doctor', '--json'])).out)
    const named = (name: string) => checks.find((check: { name: string }) => check.name === name)
    assert.equal(named('backup_drill').status, 'ok')
    assert.match(named('continuous_backup').found, / has all commits until 20/)
    const { text } = await call(url.replace('localhost', '127.0.0.1'), 'GET', '/metrics')
    assert.match(text, /^atrium_backup_covered_seconds \d+/m)
    assert.match(text, /^atrium_backup_drill_ok 1$/m)
  })

  test('a drill over a damaged object fails, names it, and the doctor reports that', async () => {
    let name = ''
    for await (const each of namesBelow(new FolderDestination(destination), 'chains'))
      if (each.includes('/part-')) name = each
    const path = join(destination, name)
    const kept = readFileSync(path)
    writeFileSync(path, kept.subarray(1))
    const { code, out } = await run(installation, 'backup', '--drill', destination)
    writeFileSync(path, kept)
    assert.equal(code, 1)
    assert.match(JSON.parse(out).message, new RegExp(`${name} is damaged or incomplete`))
    const doctor = await installation.run(['doctor', '--json'])
    assert.equal(doctor.code, 1)
    assert.match(doctor.out, /"name":"backup_drill","status":"fail"/)
    assert.match((await call(url, 'GET', '/metrics')).text, /^atrium_backup_drill_ok 0$/m)
  })

  test('a drill mails its result to the operator, and fails if it cannot', async () => {
    const server = await MailServer.open()
    const operator = {
      ...encrypted,
      ATRIUM_SMTP_URL: server.url,
      ATRIUM_MAIL_FROM: 'Atrium <atrium@acme.example>',
      ATRIUM_OPERATOR_MAIL: 'ops@acme.example',
    }
    const drill = (place: string) => installation.run(['backup', '--drill', place, '--json'], { environment: operator })
    assert.equal((await drill(destination)).code, 0)
    const good = await server.next()
    assert.deepEqual(
      [good.to, good.headers.get('subject')],
      [['ops@acme.example'], 'Atrium: the backup can be restored'],
    )
    assert.match(good.text, /^Restored the state of 20/)
    assert.equal((await drill(join(destination, 'nothing'))).code, 1)
    const bad = await server.next()
    assert.equal(bad.headers.get('subject'), 'Atrium: the backup cannot be relied on')
    assert.match(bad.text, /holds no continuous backup/)
    server.refusal = { code: 550, message: 'no such mailbox' }
    const unheard = await drill(destination)
    assert.equal(unheard.code, 1)
    assert.match(
      JSON.parse(unheard.out).message,
      /intact\. The mail to ops@acme\.example was not sent: .*no such mailbox/,
    )
    assert.match((await installation.run(['doctor', '--json'])).out, /"name":"backup_drill","status":"ok"/)
    await server.close()
  })

  test('a destination of another installation is refused', async () => {
    const stranger = await newInstallation('sqlite')
    others.push(stranger)
    await stranger.initAcme()
    const { code, err } = await run(stranger, 'backup', '--follow', destination)
    assert.equal(code, 1)
    assert.match(err, /holds the backup of another installation: the fingerprint of its secret key is/)
  })

  test('what belongs to another command or engine is refused', async () => {
    const messages: string[] = []
    const postgres = { ATRIUM_DATABASE_URL: 'postgres://127.0.0.1:1/x', ATRIUM_SECRET_KEY: test_secret_key }
    const calls: [string[], Environment][] = [
      [['backup', '--follow', '--drill', destination], {}],
      [['backup', '--keep', '3', destination], {}],
      [['restore', 'missing.gz', '--at', '1'], {}],
      [['backup', '--drill', join(destination, 'nothing')], {}],
      [['backup', '--unfollow', '--drill', destination], {}],
      [['backup', '--unfollow', join(destination, 'other')], {}],
      [['restore', 'missing.gz', '--into', destination], {}],
      [['restore', destination, '--into', join(destination, 'other')], encrypted],
      [['backup', '--follow', destination], postgres],
    ]
    for (const [words, environment] of calls) {
      const { code, out, err } = await installation.run(words, { environment })
      assert.ok(code === 1 || code === 2)
      messages.push(err || out)
    }
    assert.deepEqual(messages, [
      'atrium backup: Give --follow or --drill, not both.\n',
      'atrium backup: --keep is only allowed with --follow.\n',
      'atrium restore: --at is only allowed with the folder or bucket of a continuous backup.\n',
      `${join(destination, 'nothing')} holds no continuous backup. 'atrium backup --follow' writes one.\n`,
      'atrium backup: --unfollow is only allowed without --follow and --drill.\n',
      `atrium backup: The database is followed to ${destination}, and not to ${join(destination, 'other')}.\n`,
      'atrium restore: --into is only allowed with the folder or bucket of a continuous backup.\n',
      'atrium restore: --into is for the backup of a PostgreSQL server, and this is one of SQLite: set ATRIUM_DATA_DIR.\n',
      'atrium backup: The database cannot be reached (ATRIUM_DATABASE_URL): connect ECONNREFUSED 127.0.0.1:1.\n',
    ])
  })

  test('a backup that is ended for good is no longer expected, and can still be restored', async () => {
    const { code, out } = await run(installation, 'backup', '--unfollow', destination)
    assert.deepEqual([code, JSON.parse(out)], [0, { destination, slot_dropped: false }])
    assert.doesNotMatch((await installation.run(['doctor', '--json'])).out, /continuous_backup|backup_drill/)
    assert.equal((await run(await other(), 'restore', destination)).code, 0)
  })
})

describe('A continuous backup in a bucket', () => {
  test('restores the database and the content of files', async () => {
    const installation = await newInstallation('sqlite')
    const objects = mkdtempSync(join(tmpdir(), 'atrium-objects-'))
    const s3 = await startS3(objects)
    const { ATRIUM_FILES_URL: files = '', ...pair } = s3.environment
    const destination = files.replace('/one/two', '/continuous')
    const key = (await installation.initAcme()).api_key.secret
    const { url } = await installation.serve()
    const workspace = (await call(url, 'POST', '/v1/workspaces', { key, body: { title: 'Kept' } })).body.id
    const content = installation.file('note.txt', 'kept\n'.repeat(2000))
    const server = { ATRIUM_URL: url, ATRIUM_KEY: key }
    const upload = ['api', 'files.create', '--workspace', workspace, '--input', content]
    assert.equal((await installation.run(upload, { environment: server })).code, 0)
    const follower = installation.start(['backup', '--follow', destination], pair)
    await follower.line('stored a base')
    await follower.line('copied the content of files')
    await call(url, 'POST', '/v1/workspaces', { key, body: { title: 'Later' } })
    follower.signal('SIGTERM')
    assert.equal(await follower.exit(), 0)

    const target = await emptyCopy(installation)
    const { code, out, err } = await target.run(['restore', destination, '--json'], { environment: pair })
    assert.equal(code, 0, err)
    assert.deepEqual(JSON.parse(out).files, { restored: 1, missing: { count: 0, keys: [] } })
    const [stored = ''] = storedFiles(target.folder, 'content')
    assert.deepEqual(readFileSync(stored), readFileSync(content))
    assert.deepEqual(await titlesIn(target, key), ['Kept', 'Later'])
    assert.equal(existsSync(join(target.folder, 'restoring')), false)
    await s3.close()
    await installation.remove()
    await target.remove()
    rmSync(objects, { recursive: true })
  })
})
