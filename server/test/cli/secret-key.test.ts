/** A database belongs to one secret key: every program with another one refuses to open it. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { onEveryEngine } from '../engines.ts'
import { type Installation, newInstallation } from './installation.ts'

const other_key = randomBytes(32).toString('base64')

onEveryEngine('A program with another secret key', (engine) => {
  let installation: Installation
  let organization: string
  before(async () => {
    installation = await newInstallation(engine)
    organization = (await installation.initAcme()).organization
  })
  after(() => installation.remove())

  test('refuses to start with one line and exit code 1, whatever the command', async () => {
    const environment = { ATRIUM_SECRET_KEY: other_key }
    for (const words of [
      ['serve'],
      ['worker'],
      ['migrate'],
      ['workers'],
      ['audit', 'verify'],
      ['key', 'create', '--organization', organization],
      ['backup', join(installation.folder, 'a.gz')],
    ]) {
      const { code, out, err } = await installation.run(words, { environment })
      assert.deepEqual([code, out], [1, ''], `${words.join(' ')}: ${err}`)
      assert.match(err, /^atrium [a-z ]+: ATRIUM_SECRET_KEY is not the key of this database: [^\n]+\n$/)
    }
    await installation.json('workers')
  })

  test('is found by the doctor, with exit code 1', async () => {
    const { code, out } = await installation.run(['doctor', '--json'], {
      environment: { ATRIUM_SECRET_KEY: other_key },
    })
    assert.equal(code, 1)
    const check = JSON.parse(out).checks.find(({ name }: { name: string }) => name === 'secret_key')
    assert.deepEqual([check.status, /is not the key of this database/.test(check.found)], ['fail', true])
  })
})

describe('A program with another key file', () => {
  let installation: Installation
  before(async () => {
    installation = await newInstallation('sqlite')
    await installation.initAcme()
  })
  after(() => installation.remove())

  test('names the file', async () => {
    writeFileSync(join(installation.folder, 'secret.key'), `${other_key}\n`)
    const { code, err } = await installation.run(['workers'])
    assert.equal(code, 1)
    assert.match(err, /^atrium workers: \S+secret\.key is not the key of this database: [^\n]+\n$/)
  })
})
