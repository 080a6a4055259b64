import assert from 'node:assert/strict'
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { onOneEngine } from '../engines.ts'
import { openWorld, type World } from '../world.ts'
import { Client } from './client.ts'

onOneEngine('profiles', (engine) => {
  let world: World
  let client: Client
  const bare = { ATRIUM_URL: '', ATRIUM_KEY: '' }
  before(async () => {
    world = await openWorld(engine)
    client = Client.of(world)
  })
  after(async () => {
    client.remove()
    await world.close()
  })

  const add = (name: string, key: string, ...more: string[]) =>
    client.run(['profile', 'add', name, '--url', world.server.url, '--json', ...more], {
      environment: bare,
      input: `${key}\n`,
    })
  const me = async (words: string[], environment: Record<string, string> = {}) => {
    const ran = await client.run(['api', 'me.retrieve', '--json', ...words], {
      environment: { ...bare, ...environment },
    })
    return ran.code === 0 ? `${JSON.parse(ran.out).organization.id} ${JSON.parse(ran.out).mode}` : ran.code
  }

  it('keep a server and a key that was tried, readable by its owner only, and show everything but the key', async () => {
    const added = await add('acme', world.acme.key)
    assert.deepEqual([added.code, added.err], [0, ''])
    const profile = { name: 'acme', url: world.server.url, organization: world.acme.id, mode: 'live', default: true }
    assert.deepEqual(JSON.parse(added.out), profile)
    const second = await add('globex', world.globex.testKey)
    assert.equal(JSON.parse(second.out).default, false)
    const folder = join(client.folder, 'atrium')
    assert.deepEqual(readdirSync(folder), ['profiles.json'])
    assert.deepEqual(
      [statSync(folder).mode & 0o777, statSync(join(folder, 'profiles.json')).mode & 0o777],
      [0o700, 0o600],
    )
    const listed = await client.run(['profile', 'list'], { environment: bare })
    assert.match(listed.out, /^acme .* live +default\nglobex .* test$/m)
    for (const { out, err } of [added, second, listed]) {
      for (const key of [world.acme.key, world.globex.testKey]) assert.ok(!(out + err).includes(key))
    }
  })

  it('are chosen by flag, by environment, by default; a flag wins over the environment', async () => {
    const [acme, globex] = [`${world.acme.id} live`, `${world.globex.id} test`]
    assert.equal(await me([]), acme)
    assert.equal(await me(['--profile', 'globex']), globex)
    assert.equal(await me([], { ATRIUM_PROFILE: 'globex' }), globex)
    assert.equal(
      await me(['--profile', 'acme'], { ATRIUM_PROFILE: 'globex', ATRIUM_KEY: 'wrong', ATRIUM_URL: 'http://x' }),
      acme,
    )
    assert.equal(await me([], { ATRIUM_KEY: world.globex.key }), `${world.globex.id} live`)
    assert.equal(await me(['--profile', 'nobody']), 1)
    await client.run(['profile', 'use', 'globex'], { environment: bare })
    assert.equal(await me([]), globex)
    await client.run(['profile', 'use', 'acme'], { environment: bare })
  })

  it('send their key to their own server only', async () => {
    const other = world.server.url.replace('127.0.0.1', 'localhost')
    assert.equal(await me(['--url', other]), 4, 'no key is sent')
    assert.equal(await me(['--url', other, '--profile', 'acme']), 2)
    assert.equal(await me([], { ATRIUM_URL: other }), 4)
  })

  it('are not kept when their key does not work, or their name is not valid', async () => {
    const before = readFileSync(join(client.folder, 'atrium/profiles.json'), 'utf8')
    const wrong = await add('wrong', 'atr_live_wrong')
    assert.deepEqual(
      [wrong.code, JSON.parse(wrong.err).error.code, wrong.err.includes('atr_live_wrong')],
      [4, 'invalid_api_key', false],
    )
    assert.equal((await add('../x', world.acme.key)).code, 2)
    assert.equal((await add('empty', '')).code, 1)
    assert.equal((await add('two', `${world.acme.key}\nmore`)).code, 1)
    assert.equal(readFileSync(join(client.folder, 'atrium/profiles.json'), 'utf8'), before)
  })

  it('are not read when others can read them, or when the file is damaged, and then show nothing of it', async () => {
    const file = join(client.folder, 'atrium/profiles.json')
    chmodSync(file, 0o644)
    const open = await client.run(['api', 'me.retrieve'], { environment: bare })
    assert.deepEqual([open.code, open.out], [1, ''])
    assert.match(open.err, /chmod 600/)
    chmodSync(file, 0o600)
    const removed = await client.run(['profile', 'remove', 'globex', '--json'], { environment: bare })
    assert.deepEqual(JSON.parse(removed.out), { removed: 'globex' })
    const whole = readFileSync(file, 'utf8')
    assert.ok(!whole.includes(world.globex.testKey))
    client.file('atrium/profiles.json', whole.slice(0, -20))
    const damaged = await client.run(['profile', 'list'], { environment: bare })
    assert.deepEqual([damaged.code, damaged.out, damaged.err.includes(world.acme.key)], [1, '', false])
  })

  it('a server starts with their variables, and refuses others still', async () => {
    const doctor = (environment: Record<string, string>) =>
      client.run(['doctor', '--json'], {
        // On a disk: doctor refuses what lies in memory, as folders of tests may.
        environment: { ...environment, ATRIUM_DATA_DIR: join(import.meta.dirname, 'none') },
      })
    assert.equal((await doctor({ ATRIUM_PROFILE: 'acme' })).code, 0)
    assert.equal((await doctor({ ATRIUM_PROFLE: 'acme' })).code, 1)
    assert.equal((await client.run(['api', 'me.retrieve'], { environment: { ATRIUM_TOKEN: 'x' } })).code, 1)
  })
})
