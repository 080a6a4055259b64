import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { query } from '../../src/db/query.ts'
import { openServices } from '../../src/main.ts'
import { openSecret } from '../../src/resources/automation_runs/queries/secrets.ts'
import { onEveryEngine } from '../engines.ts'
import { type Installation, newInstallation } from './installation.ts'

const rows = query((db) => db.selectFrom('automation_secrets').selectAll().orderBy('realm'))
const audit = query((db) =>
  db.selectFrom('audit_entries').select(['target', 'entry']).where('action', '=', 'automation_secrets.set'),
)

onEveryEngine('secret set', (engine) => {
  let installation: Installation
  let organization: string

  before(async () => {
    installation = await newInstallation(engine)
    const made = await installation.initAcme()
    organization = made.organization
  })
  after(() => installation.remove())

  const set = (input: string, ...more: string[]) => installation.run(['secret', 'set', ...more, '--json'], { input })

  test('keeps what standard input says, sealed, and prints the name only; the second time it takes its place', async () => {
    const about = ['deploy_key', '--organization', organization]
    const first = await set('s3cret-one\n', ...about)
    const expected = { name: 'deploy_key', organization, mode: 'live' }
    assert.deepEqual([first.code, JSON.parse(first.out)], [0, { ...expected, created: true }])
    const second = await set('Basic dXNlcjpwYXNz', ...about)
    assert.deepEqual(JSON.parse(second.out), { ...expected, created: false })
    assert.deepEqual(JSON.parse((await set('other', ...about, '--mode', 'test')).out), {
      ...expected,
      mode: 'test',
      created: true,
    })
    const services = await openServices(readConfig(installation.environment))
    try {
      const reader = services.store.reader('system')
      const kept = await reader.all(rows)
      const opened = await Promise.all(kept.map(({ realm }) => openSecret(services, realm, 'deploy_key')))
      assert.deepEqual(opened, ['Basic dXNlcjpwYXNz', 'other'])
      const entries = await reader.all(audit)
      assert.deepEqual(
        entries.map(({ target }) => target),
        Array(3).fill('deploy_key'),
      )
      for (const text of [JSON.stringify(kept), JSON.stringify(entries)])
        assert.doesNotMatch(text, /s3cret|dXNlcjpwYXNz|other/)
    } finally {
      await services.close()
    }
  })

  test('refuses what no header could hold, and names that no graph could', async () => {
    for (const [input, name] of [
      ['', 'empty'],
      ['two\nlines', 'lines'],
      ['ünïcode', 'letters'],
      ['x'.repeat(5000), 'long'],
      ['fine', 'no spaces'],
    ] as const) {
      const { code, err } = await set(input, name, '--organization', organization)
      assert.equal(code, 1, `${name}: ${err}`)
    }
    assert.equal((await set('fine', 'a', '--organization', 'org_none')).code, 1)
  })
})
