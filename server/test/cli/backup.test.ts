import assert from 'node:assert/strict'
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
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
    other = await newInstallation(engine)
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
    assert.equal(existsSync(`${file}.unfinished`), false)
    const { file: _, ...verified } = await installation.json('restore', file, '--verify-only')
    assert.deepEqual({ file, ...verified }, manifest)
  })

  test('restore refuses a database that is in use, and a file that is not there', async () => {
    const used = await installation.refused('restore', file)
    assert.equal(used.code, 1)
    assert.match(used.message, /not empty/)
    const missing = await other.refused('restore', join(other.folder, 'nothing.gz'))
    assert.equal(missing.code, 1)
    assert.match(missing.message, /there is no file/)
  })

  test('what was restored elsewhere is served there, to the same key', async () => {
    const secretKey = join(installation.environment.ATRIUM_DATA_DIR ?? '', 'secret.key')
    if (existsSync(secretKey)) {
      const { message } = await other.refused('restore', file)
      assert.match(message, /another secret key/)
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
