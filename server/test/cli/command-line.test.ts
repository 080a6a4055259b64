/** What the command line says without a server, and before there is a database: help, and what was called wrongly. */
import assert from 'node:assert/strict'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Installation, newInstallation } from './installation.ts'
import { execute, program } from './terminal.ts'

describe('the command line', () => {
  let installation: Installation
  before(async () => {
    installation = await newInstallation('sqlite')
  })
  after(() => installation.remove())

  test('tells what was called wrongly in one line, exit 2, and touches nothing', async () => {
    const organization = ['--organization', 'org_x']
    const wrong: [string[], string | undefined][] = [
      [['bogus'], undefined],
      [['key', 'bogus'], undefined],
      [['init'], 'organization'],
      [['init', '--organization', 'Acme'], 'owner'],
      [['init', '--organization', 'Acme', '--owner', 'no address'], 'owner'],
      [['init', '--organization', ' ', '--owner', 'a@b.example'], 'organization'],
      [['init', '--organization', 'Acme', '--owner', 'a@b.example', '--plan', 'none'], 'plan'],
      [['init', '--organization', 'Acme', '--owner', 'a@b.example', '--domain', 'localhost'], 'domain'],
      [['init', '--organization', 'Acme', '--owner', 'a@b.example', '--colour', 'red'], 'colour'],
      [['init', '--organization', 'Acme', '--owner', 'a@b.example', 'more'], undefined],
      [['key', 'create', ...organization, '--scopes', 'tasks:read,tasks:eat'], 'scopes'],
      [['key', 'create', ...organization, '--scopes', ','], 'scopes'],
      [['key', 'create', ...organization, '--mode', 'both'], 'mode'],
      [['key', 'create', ...organization, '--expires-in', '0'], 'expires_in'],
      [['key', 'create', ...organization, '--expires-in', '1h'], 'expires_in'],
      [['key', 'create', ...organization, '--expires-in'], 'expires_in'],
      [['token', 'create', ...organization], 'application'],
      [['organization', 'set', ...organization], undefined],
      [['member', 'add', ...organization], 'email'],
      [['member', 'add', ...organization, '--email', 'a@b.example', '--status', 'away'], 'status'],
      [['member', 'set'], undefined],
      [['member', 'set', 'mbr_x'], undefined],
      [['link', 'create', ...organization], 'email'],
      [['link', 'create', ...organization, '--email', 'a@b.example', '--role', 'king'], 'role'],
      [['team', 'add', ...organization], 'name'],
      [['task-template', 'add', ...organization, '--workspace', 'w', '--name', 'n', '--defaults', '{a}'], 'defaults'],
    ]
    for (const [words, param] of wrong) {
      const refused = await installation.refused(...words)
      assert.deepEqual([refused.code, refused.param], [2, param], `${words.join(' ')}: ${refused.message}`)
    }
    const scopes = await installation.refused('key', 'create', ...organization, '--scopes', 'everything')
    assert.match(scopes.message, /unknown scope, "everything"\. Use all, or api:read, .*tasks:write/)
    const { code, out, err } = await installation.run(['key', 'create', '--mode', 'both'])
    assert.deepEqual([code, out], [2, ''])
    assert.match(err, /^atrium key create: [^\n]*--mode[^\n]*\n$/)
    // The folder of a test may lie in memory, which doctor refuses; nothing else is wrong.
    const { checks } = JSON.parse((await installation.run(['doctor', '--json'])).out)
    const others = checks.filter(({ name }: { name: string }) => name !== 'file_system')
    assert.deepEqual(
      others.filter(({ status }: { status: string }) => status === 'fail'),
      [],
    )
    assert.equal(others.find(({ name }: { name: string }) => name === 'database').status, 'warn')
  })

  test('makes no database by a command that needs one', async () => {
    const needing = [
      ['key', 'create', '--organization', 'org_x'],
      ['member', 'set', 'mbr_x', '--role', 'x'],
      ['workers'],
      ['audit', 'verify'],
    ]
    for (const words of needing) {
      const { code, message } = await installation.refused(...words)
      assert.equal(code, 1)
      assert.match(message, /^There is no database at .*atrium\.db/)
    }
  })

  test('helps: every command with its options, an example, and every variable', async () => {
    const { code, out, err } = await installation.run(['--help'])
    assert.deepEqual([code, err], [0, ''])
    const names = [
      ...['serve', 'worker', 'migrate', 'init', 'key create', 'token create', 'organization set', 'member add'],
      ...[
        'member set',
        'link create',
        'operator add',
        'operator list',
        'operator remove',
        'team add',
        'saved-filter add',
        'task-template add',
        'audit verify',
        'workers',
        'doctor',
      ],
    ]
    for (const name of names) {
      assert.match(out, new RegExp(`^  ${name} `, 'm'))
      const own = await installation.run([...name.split(' '), '--help'])
      assert.equal(own.code, 0)
      assert.match(own.out, new RegExp(`^Usage: atrium ${name} `))
      assert.match(own.out, /^ {2}--json /m)
      assert.match(own.out, new RegExp(`^Examples:\\n  .*atrium ${name}`, 'm'))
    }
    assert.match(out, /^ {2}ATRIUM_PORT +4010 /m)
    const bare = await installation.run([])
    assert.deepEqual([bare.code, bare.out, bare.err], [2, '', out])
  })

  test('runs through npx and through a symbolic link', async () => {
    const { out } = await installation.run(['--help'])
    // npx links the folder as an installed package; what is built for an installation is there already.
    const npx = await execute('npx', ['--ignore-scripts', 'atrium', '--help'])
    assert.deepEqual([npx.code, npx.out], [0, out])
    const link = join(installation.folder, 'atrium')
    symlinkSync(program, link)
    assert.deepEqual(await execute(link, ['--version']), { code: 0, out: '0.1.0\n', err: '' })
  })
})
