/** Files over MCP: content as text or in base64 up to its limit, and the faults that agents make with either. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { onEveryEngine } from '../../test/engines.ts'
import { type Agent, overHttp, overStdio } from '../../test/mcp.ts'
import { openWorld, type World } from '../../test/world.ts'
import { limits } from '../api/limits.ts'

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')
/** Each byte value occurs. */
const bytesOf = (count: number) => Buffer.from(Uint8Array.from({ length: count }, (_, i) => i % 256))

onEveryEngine('Files over MCP', (engine) => {
  let world: World
  let workspace: string
  let agents: Readonly<Record<'HTTP' | 'stdio', Agent>>
  before(async () => {
    world = await openWorld(engine)
    workspace = (await world.make('/v1/workspaces', { title: 'Files' })).id
    const { url } = world.server
    agents = { HTTP: await overHttp(url, world.acme.key), stdio: await overStdio(url, world.acme.key) }
  })
  after(async () => {
    for (const agent of Object.values(agents)) await agent.close()
    await world.close()
  })

  const create = (way: 'HTTP' | 'stdio', args: object) =>
    agents[way].do('files_create', { workspace, name: 'a.bin', ...args })
  const refused = async (way: 'HTTP' | 'stdio', args: object) => {
    const { code, param, message } = await agents[way].fail('files_create', { workspace, name: 'a.bin', ...args })
    return { code, param, message }
  }
  const count = async () => (await world.get('/v1/files?limit=100')).body.data.length
  const max = limits.body_bytes_max

  for (const way of ['HTTP', 'stdio'] as const) {
    it(`over ${way} have up to 1 MiB in base64 or as text, byte for byte`, async () => {
      for (const size of [0, 1, 3000, max]) {
        const content = bytesOf(size)
        const { bytes, sha256: found } = await create(way, { base64: content.toString('base64') })
        assert.deepEqual([bytes, found], [size, sha256(content)])
      }
      // Two of three characters are escaped on the way.
      const text = '"ä\n'.repeat(max / 4)
      const { bytes, sha256: found } = await create(way, { text })
      assert.deepEqual([bytes, found], [max, sha256(text)])
    })

    it(`over ${way} are refused with one byte more, and for what is no base64, and nothing is stored`, async () => {
      const before = await count()
      const over = `The content has ${max + 1} bytes, over the limit of ${max}.`
      const fault = { code: 'invalid_request_body' }
      const base64 = bytesOf(max + 1).toString('base64')
      assert.deepEqual(await refused(way, { base64 }), { ...fault, param: 'base64', message: over })
      const text = 'x'.repeat(max + 1)
      assert.deepEqual(await refused(way, { text }), { ...fault, param: 'text', message: over })
      for (const wrong of ['YQ=a', 'not base64!', 'YWJj\nZGVm', 'data:text/plain;base64,YQ==', 'YR==']) {
        const { code, param, message } = await refused(way, { base64: wrong })
        assert.deepEqual([code, param], ['invalid_request_body', 'base64'], wrong)
        assert.match(message, /is not base64/)
      }
      for (const none of [{}, { text: 'a', base64: 'YQ==' }, { text: 7 }]) {
        assert.equal((await refused(way, none)).code, 'invalid_request_body')
      }
      assert.equal(await count(), before)
    })
  }

  it('over HTTP are never read from the disk of the server', async () => {
    const path = join(world.database.folder, 'secret.txt')
    writeFileSync(path, 'of the server')
    const before = await count()
    for (const [args, fault] of [
      [{ path }, ['invalid_request_body', 'text']],
      [{ path: `file://${path}` }, ['invalid_request_body', 'text']],
      [{ path, text: 'x' }, ['invalid_query_parameter', 'path']],
    ] as const) {
      const { code, param } = await refused('HTTP', args)
      assert.deepEqual([code, param], fault)
    }
    assert.equal(await count(), before)
  })

  it('over stdio have the name of the path, without its folders', async () => {
    const folder = join(world.database.folder, 'a folder')
    mkdirSync(folder)
    writeFileSync(join(folder, 'plan.txt'), 'Berths')
    symlinkSync(join(folder, 'plan.txt'), join(folder, 'link.txt'))
    symlinkSync(join(folder, 'circle'), join(folder, 'circle'))
    const named = async (path: string) => {
      const { name, bytes } = await agents.stdio.do('files_create', { workspace, path })
      return [name, bytes]
    }
    assert.deepEqual(await named(join(folder, '../a folder/plan.txt')), ['plan.txt', 6])
    assert.deepEqual(await named(join(folder, 'link.txt')), ['link.txt', 6])
    for (const [path, reason] of [
      [join(folder, 'circle'), /ELOOP/],
      [`${folder}/plan.txt\0.png`, /path/],
      [folder, /it is not a file/],
    ] as const) {
      const error = await agents.stdio.fail('files_create', { workspace, path })
      assert.deepEqual([error.code, error.param], ['invalid_request_body', 'path'])
      assert.match(error.message, reason)
    }
  })
})
