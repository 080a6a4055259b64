/** `atrium api` called wrongly, and its help: nothing of this reaches a server. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Calls } from './calls.ts'
import { Client } from './client.ts'

describe('atrium api, called wrongly', () => {
  const secret = `atr_live_${'s'.repeat(36)}`
  let client: Client
  before(() => {
    // No server listens on this port, so a request that is sent shows as exit 7.
    client = new Client('http://127.0.0.1:9', secret)
  })
  after(() => client.remove())

  it('says which flag is wrong and which was meant, exit 2, and sends nothing', async () => {
    const wrong: [string[], string | undefined, RegExp][] = [
      [['tasks.lst'], undefined, /Did you mean tasks\.list\?$/],
      [['--frobnicate', 'x'], 'frobnicate', /no flag/],
      [['tasks.list', '--asignee', 'x'], 'asignee', /Did you mean --assignee\?$/],
      [['tasks.list', '--status'], 'status', /needs a value/],
      [['tasks.list', '--status', '--json'], 'status', /needs a value/],
      [['tasks.list', '--limit', '0'], 'limit', /whole number/],
      [['tasks.list', '--limit', '5', '--all'], 'limit', /not both/],
      [['audit_logs.list', '--created-before', 'soon'], 'created_before', /Unix seconds or a date/],
      [['tasks.list', '--is-archived', 'maybe'], undefined, /"maybe" has no meaning here/],
      [['tasks.list', '--fields', 'titel'], 'fields', /Did you mean title\?$/],
      [['tasks.list', '--output', 'xml'], 'output', /cannot be "xml"\. Use table, json, jsonl, csv\./],
      [['tasks.list', '--output', 'csv', '--json'], 'output', /not both/],
      [['tasks.list', '--dry-run'], 'dry_run', /only reads/],
      [['tasks.list', '-x'], undefined, /two dashes/],
      [['tasks.create', '--title', 'x'], 'workspace', /needs --workspace/],
      [['tasks.create', '--workspace', 'w', '--title', 'x', '--title', 'y'], 'title', /twice/],
      [
        ['tasks.create', '--workspace', 'w', '--title', 'x', '--custom-fields', '{"a":1,"a":2}'],
        'custom_fields',
        /JSON/,
      ],
      [['tasks.create', '--workspace', 'w', '--input', client.file('list.json', '[1]')], 'input', /JSON object/],
      [['tasks.retrieve'], 'id', /needs --id/],
      [['tasks.retrieve', 'a', 'b'], undefined, /"b" has no meaning here/],
      [['tasks.retrieve', '..'], 'id', /cannot be "\.\."/],
      [['tasks.retrieve', 'a', '--all'], 'limit', /not a list/],
      [['tasks.retrieve', 'a', '--url', 'ftp://x'], 'url', /http/],
      [['tasks.retrieve', 'a', '--url', 'http://me:pw@x'], 'url', /credentials/],
      [
        ['columns.create', '--workspace', 'w', '--project', 'p', '--name', 'n', '--position', 'left'],
        'position',
        /number/,
      ],
    ]
    const calls = new Calls(client.environment)
    for (const [words, param, message] of wrong) {
      const { code, out } = await calls.run(words)
      const refused = JSON.parse(out)
      assert.deepEqual([code, refused.param], [2, param], `${words.join(' ')}: ${out}`)
      assert.match(refused.message, message)
    }
    await calls.end()
    const { code, out, err } = await client.run(['api', 'tasks.lst'])
    assert.deepEqual(
      [code, out, err],
      [2, '', 'atrium api: There is no operation "tasks.lst". Did you mean tasks.list?\n'],
    )
  })

  it('takes no key from the command line and shows none, whatever goes wrong', async () => {
    for (const flag of ['--key', '--api-key', '--token']) {
      const { code, out, err } = await client.run(['api', 'me.retrieve', flag, secret])
      assert.deepEqual([code, out], [2, ''])
      assert.match(err, /ATRIUM_KEY or give --key-file/)
      assert.ok(!err.includes(secret))
    }
    const unreached = await client.run(['api', 'me.retrieve', '--include', '--retries', '0'])
    assert.equal(unreached.code, 7)
    assert.ok(!(unreached.out + unreached.err).includes(secret))
    const none = await client.run(['api', 'me.retrieve'], { environment: { ATRIUM_KEY: '' } })
    assert.deepEqual([none.code, none.out], [4, ''])
    assert.match(none.err, /Set ATRIUM_KEY/)
  })

  it('reads the key from a file, and refuses what is no key', async () => {
    const keyless = { environment: { ATRIUM_KEY: '' } }
    const good = await client.run(
      ['api', 'me.retrieve', '--retries', '0', '--key-file', client.file('key', `${secret}\n`)],
      keyless,
    )
    assert.equal(good.code, 7, 'it was used')
    for (const content of ['', 'two words', 'x'.repeat(5000)]) {
      const { code, err } = await client.run(['api', 'me.retrieve', '--key-file', client.file('bad', content)], keyless)
      assert.deepEqual([code, err.includes('two words')], [1, false], content)
    }
  })

  it('helps: the operations, and of each its flags, scope, credits and an example', async () => {
    const all = await client.run(['api', '--help'])
    assert.deepEqual([all.code, all.err], [0, ''])
    assert.match(all.out, /^ {2}tasks\.create +Create a task$/m)
    const one = await client.run(['api', 'tasks.batch', '--help'])
    assert.match(one.out, /^Usage: atrium api tasks\.batch \[flags\]\n/)
    assert.match(one.out, /POST \/v1\/tasks\/batch\n {2}scope: tasks:write; credits: 25\n/)
    assert.match(one.out, /^ {2}--workspace <text> +\(required\)$/m)
    assert.match(one.out, /^Example:\n {2}atrium api tasks\.batch --workspace /m)
  })
})
