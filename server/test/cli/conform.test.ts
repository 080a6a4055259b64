import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { rules } from '../../src/conform/rules/index.ts'
import { type FaultyServer, openFaultyServer, withoutHeader } from '../conform/faulty-server.ts'
import { type Installation, newInstallation } from './installation.ts'
import { execute, program } from './terminal.ts'

describe('atrium conform', () => {
  let installation: Installation
  let url: string
  let live: string
  let key: string
  let faulty: FaultyServer
  before(async () => {
    installation = await newInstallation('sqlite')
    const made = await installation.initAcme()
    live = made.api_key.secret
    const words = ['key', 'create', '--organization', made.organization, '--mode', 'test']
    key = (await installation.json(...words)).secret
    url = (await installation.serve()).url
    faulty = await openFaultyServer(url, key)
    faulty.plant({ reply: (answer) => withoutHeader(answer, 'vary') })
  })
  after(async () => {
    await faulty.close()
    await installation.remove()
  })

  const run = (...words: string[]) => execute(program, ['conform', ...words])
  const few = ['--only', 'headers', '--only', 'scope', '--operation', 'workspaces.create']

  test('prints a table, deletes what it created, and exits with 0 if nothing is wrong', async () => {
    const { code, out, err } = await run('--url', url, '--key', key, ...few)
    assert.equal(code, 0, err)
    assert.match(out, /^RULE +OK +VIOLATED +SKIPPED +PROMISE\nscope +1 +0 +0 .*\nheaders +1 +0 +0 .*\n/)
    assert.match(out, /\n\nConforms: \d+ requests\.\n$/)
    assert.match(err, /^In the test data of org_\w+ the run creates a workspace .*\.\n$/)
    assert.ok(!(out + err).includes(key), 'the key is not printed')
  })

  test('--json prints one document, and a violation exits with 1', async () => {
    const { code, out } = await run('--url', faulty.url, '--key', key, '--json', ...few)
    assert.equal(code, 1)
    const { requests: _requests, left, results, ...report } = JSON.parse(out)
    const counted = (rule: string, ok: number, violations: number) => {
      const promise = rules.find(({ name }) => name === rule)?.promise
      return { rule, promise, ok, violations, skipped: 0 }
    }
    assert.deepEqual(
      { ...report, organization: '' },
      {
        object: 'conformance_report',
        url: faulty.url,
        organization: '',
        mode: 'test',
        stopped: null,
        conforms: false,
        rules: [counted('scope', 1, 0), counted('headers', 0, 1)],
      },
    )
    assert.deepEqual(left, [])
    assert.deepEqual(results[0], { rule: 'scope', operation: 'workspaces.create', status: 'ok', messages: [] })
    assert.equal(results[1].messages[0], 'vary of 403 is undefined, not Authorization, Service-Version')
  })

  test('refuses a live key with 1, an unknown rule with 2, and an unreachable server with 1', async () => {
    const refused = await run('--url', url, '--key', live, ...few)
    assert.deepEqual([refused.code, refused.out], [1, ''])
    assert.match(refused.err, /^atrium conform: This is a live key\. Use a key of the mode test, or give --live/)
    assert.equal((await run('--url', url, '--key', live, '--live', ...few)).code, 0)
    const unknown = await run('--url', url, '--key', key, '--only', 'nothing')
    assert.deepEqual([unknown.code, unknown.out], [2, ''])
    assert.match(unknown.err, /^atrium conform: There is no rule "nothing"\. The rules are credential, /)
    assert.equal((await run('--url', url, '--key', key, '--operation', 'tasks.explode')).code, 2)
    assert.equal((await run('--url', 'ftp://x', '--key', key)).code, 2)
    const unreachable = await run('--url', 'http://127.0.0.1:9', '--key', key)
    assert.deepEqual([unreachable.code, unreachable.out], [1, ''])
    assert.match(unreachable.err, /GET \/v1\/me was not answered/)
  })
})

test('docs/conform.md names every rule with its promise', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/conform.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `([a-z-]+)` \| (.+) \|$/gm)].map(([, name, promise]) => [name, promise])
  assert.deepEqual(
    rows,
    rules.map(({ name, promise }) => [name, promise]),
  )
})
