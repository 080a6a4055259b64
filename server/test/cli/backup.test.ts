import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { call } from '../call.ts'
import { onEveryEngine } from '../engines.ts'
import { type Installation, newInstallation } from './installation.ts'

onEveryEngine('backup and restore beside a running server', (engine) => {
  let installation: Installation
  let other: Installation
  let key: string
  let file: string
  before(async () => {
    installation = await newInstallation(engine)
    const made = await installation.initAcme()
    key = made.api_key.secret
    const { url } = await installation.serve()
    await call(url, 'POST', '/v1/workspaces', { key, body: { title: 'Kept' } })
    file = join(installation.folder, 'backup.gz')
    other = await newInstallation(engine, { empty: true })
  })
  after(async () => {
    await installation.remove()
    await other.remove()
  })

  test('backup prints what it wrote, and writes over nothing', async () => {
    const manifest = await installation.json('backup', file)
    assert.equal(manifest.file, file)
    assert.equal(manifest.tables.workspaces.rows, 1)
    assert.match(manifest.sha256, /^[0-9a-f]{64}$/)
    const again = await installation.refused('backup', file)
    assert.equal(again.code, 1)
    assert.match(again.message, /exists already/)
    assert.deepEqual(
      readdirSync(installation.folder).filter((name) => name.endsWith('.unfinished')),
      [],
    )
    const { file: _, ...verified } = await installation.json('restore', file, '--verify-only')
    assert.deepEqual({ file, ...verified }, manifest)
  })

  test('backup says in one line why a file cannot be written', async () => {
    const folder = join(installation.folder, 'missing')
    for (const [path, line] of [
      [
        join(folder, 'backup.gz'),
        `There is no folder ${folder} for the backup. Create it, or name a file in another one.`,
      ],
      [join(file, 'backup.gz'), `There is no folder ${file} for the backup. Create it, or name a file in another one.`],
      [join(installation.folder, 'x'.repeat(255)), /^No backup was written: ENAMETOOLONG: [^\n]+\.$/],
    ] as const) {
      const { code, message } = await installation.refused('backup', path)
      assert.equal(code, 1)
      if (typeof line === 'string') assert.equal(message, line)
      else assert.match(message, line)
    }
  })

  test('restore refuses a database that is in use, and a file that is not there', async () => {
    const used = await installation.refused('restore', file)
    assert.equal(used.code, 1)
    assert.match(used.message, /not empty/)
    const missing = await other.refused('restore', join(other.folder, 'nothing.gz'))
    assert.equal(missing.code, 1)
    assert.match(missing.message, /^There is no file/)
    assert.deepEqual(readdirSync(other.folder), [], 'nothing was created')
  })

  test('a backup removes what killed backups of this installation left, and nothing else', async () => {
    const { secret_key } = await installation.json('restore', file, '--verify-only')
    const left = ['old.gz', 'other.gz'].map((name) => join(installation.folder, name))
    const dead = `${left[0]}.${secret_key}-${'0'.repeat(16)}.unfinished`
    const foreign = `${left[1]}.${'f'.repeat(16)}-${'0'.repeat(16)}.unfinished`
    for (const each of [dead, foreign]) writeFileSync(each, '')
    await installation.json('backup', join(installation.folder, 'second.gz'))
    assert.deepEqual([existsSync(dead), existsSync(foreign)], [false, true])
  })

  test('what was restored elsewhere is served there, to the same key', async () => {
    const secretKey = join(installation.environment.ATRIUM_DATA_DIR ?? '', 'secret.key')
    if (existsSync(secretKey)) {
      const { message } = await other.refused('restore', file)
      assert.match(message, /another secret key/)
      assert.deepEqual(readdirSync(other.folder), [], 'neither a key nor a database')
      copyFileSync(secretKey, join(other.environment.ATRIUM_DATA_DIR ?? '', 'secret.key'))
    }
    await other.json('restore', file)
    const { url } = await other.serve()
    const { body } = await call(url, 'GET', '/v1/workspaces', { key })
    assert.deepEqual(
      body.data.map((workspace: { title: string }) => workspace.title),
      ['Kept'],
    )
  })
})

describe('a restore that fails', () => {
  let installation: Installation
  let other: Installation
  before(async () => {
    installation = await newInstallation('sqlite')
    other = await newInstallation('sqlite')
    await installation.initAcme()
  })
  after(async () => {
    await installation.remove()
    await other.remove()
  })

  test('leaves the key and no database, and after one that was killed only restore opens the folder', async () => {
    const file = join(installation.folder, 'backup.gz')
    await installation.json('backup', file)
    copyFileSync(join(installation.folder, 'secret.key'), join(other.folder, 'secret.key'))
    const later = gunzipSync(readFileSync(file)).toString().replace('"migrations":[', '"migrations":["9999_later",')
    const { message } = await other.refused('restore', other.file('later.gz', gzipSync(resealed(later))))
    assert.match(message, /newer version of Atrium: it has 9999_later/)
    assert.deepEqual(readdirSync(other.folder).sort(), ['later.gz', 'secret.key'])
    other.file('atrium.db', readFileSync(join(installation.folder, 'atrium.db')))
    other.file('atrium.db-restoring', '')
    const refused = await other.refused('migrate')
    assert.match(refused.message, /^A restore into .*atrium\.db did not finish\. Repeat it: 'atrium restore FILE'\.$/)
    await other.json('restore', file)
    assert.deepEqual(await other.json('migrate'), { applied: [], backup: null })
  })
})

/** A changed backup with the hash of its content. */
function resealed(text: string): string {
  const end = text.lastIndexOf('{"end"')
  const said = JSON.parse(text.slice(end))
  const sha256 = createHash('sha256').update(text.slice(0, end)).digest('hex')
  return `${text.slice(0, end)}${JSON.stringify({ end: { ...said.end, sha256 } })}\n`
}
