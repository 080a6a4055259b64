/** Only the account that runs the server can read the data, whatever the umask. */
import assert from 'node:assert/strict'
import { chmodSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Installation, newInstallation } from '../cli/installation.ts'

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

describe('The files of an installation on SQLite', () => {
  let installation: Installation
  let folder: string
  let umask: number
  before(async () => {
    umask = process.umask(0)
    installation = await newInstallation('sqlite')
    folder = join(installation.folder, 'data')
  })
  after(async () => {
    process.umask(umask)
    await installation.remove()
  })

  function assertPrivate(): void {
    const names = readdirSync(folder)
    assert.ok(names.includes('atrium.db') && names.includes('atrium-requests.db'), names.join())
    assert.deepEqual(
      names.map((name) => [name, modeOf(join(folder, name))]),
      names.map((name) => [name, '600']),
    )
    assert.equal(modeOf(folder), '700')
  }

  async function checked(): Promise<string> {
    const { out } = await installation.run(['doctor', '--json'], { environment: { ATRIUM_DATA_DIR: folder } })
    return JSON.parse(out).checks.find(({ name }: { name: string }) => name === 'file_modes').status
  }

  it('are created with mode 0600, in a folder with mode 0700', async () => {
    const { process: server } = await installation.serve({ ATRIUM_DATA_DIR: folder })
    assertPrivate()
    assert.equal(await checked(), 'ok')
    await server.kill()
  })

  it('are reported by the doctor if others can read them, and corrected by the next start', async () => {
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o644)
    chmodSync(folder, 0o755)
    assert.equal(await checked(), 'warn')
    assert.equal(modeOf(folder), '755', 'the doctor changes nothing')
    const { process: server } = await installation.serve({ ATRIUM_DATA_DIR: folder })
    assertPrivate()
    await server.kill()
  })
})
