/** Which folder and files a command uses: new, existing, or lost. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { type Installation, newInstallation } from './installation.ts'

describe('a folder with a secret key and no database', () => {
  let installation: Installation
  let folder: string
  let database: string
  beforeEach(async () => {
    installation = await newInstallation('sqlite')
    folder = installation.environment.ATRIUM_DATA_DIR as string
    database = join(folder, 'atrium.db')
    installation.file('secret.key', `${randomBytes(32).toString('base64')}\n`)
  })
  afterEach(() => installation.remove())

  test('is refused by every command that opens a database, and nothing is created in it', async () => {
    const init = ['init', '--organization', 'A', '--owner', 'a@a.example']
    for (const words of [['serve'], ['worker'], ['migrate'], init, ['workers']]) {
      const { code, out, err } = await installation.run(words)
      assert.deepEqual([code, out], [1, ''], words.join(' '))
      const key = join(folder, 'secret.key')
      const found = `The database ${database} is missing, but its secret key ${key} exists.`
      const advice = "Restore a backup with 'atrium restore FILE', or remove the key to begin a new installation."
      assert.ok(err.startsWith(`atrium ${words[0]}: ${found} ${advice}`), err)
      assert.match(err, /^[^\n]+\n$/)
      assert.deepEqual(readdirSync(folder), ['secret.key'])
    }
  })

  test('counts a database without a byte as lost, and doctor says so', async () => {
    installation.file('atrium.db', '')
    const served = await installation.run(['serve'])
    assert.equal(served.code, 1)
    assert.match(served.err, /atrium\.db is empty, but its secret key .*secret\.key exists\./)
    const { code, out } = await installation.run(['doctor', '--json'])
    const checks = JSON.parse(out).checks as { name: string; status: string }[]
    assert.deepEqual([code, checks.find(({ name }) => name === 'database')?.status], [1, 'fail'])
  })

  test('begins a new installation once the key is removed', async () => {
    rmSync(join(folder, 'secret.key'))
    await installation.json('migrate')
    assert.deepEqual([existsSync(database), existsSync(`${database}-new`)], [true, false])
  })

  test('is completed where the first start was killed between the key and the database', async () => {
    installation.file('atrium.db-new', '')
    await installation.json('migrate')
    assert.equal(existsSync(`${database}-new`), false)
  })
})

describe('a start', () => {
  let installation: Installation
  beforeEach(async () => {
    installation = await newInstallation('sqlite')
  })
  afterEach(() => installation.remove())

  test('says which folder and database it uses, and whether they are new', async () => {
    const data_dir = installation.environment.ATRIUM_DATA_DIR as string
    const database = join(data_dir, 'atrium.db')
    const first = installation.start(['serve'])
    const { new: created, ...line } = await first.line('listening')
    assert.deepEqual([line.data_dir, line.database, created], [data_dir, database, true])
    assert.match(
      first.err,
      new RegExp(`^Created a new installation in ${data_dir}, with the database ${database}\\.$`, 'm'),
    )
    await first.kill()
    const second = installation.start(['serve'])
    assert.equal((await second.line('listening')).new, false)
    assert.match(second.err, new RegExp(`^Using the existing database ${database} `, 'm'))
    await second.kill()
    assert.match((await installation.run(['migrate'])).out, new RegExp(`^Using the existing database ${database} `))
  })
})
