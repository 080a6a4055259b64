/** `atrium mcp` as a process: its exit, and its messages when it cannot work. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { execute, program } from '../../test/cli/terminal.ts'
import { type Agent, overHttp, overStdio } from '../../test/mcp.ts'
import { worldOf } from '../../test/world.ts'
import { limits } from '../api/limits.ts'
import { core_tools } from './core-tools.ts'

/** No server listens here. */
const nowhere = 'http://127.0.0.1:1'

describe('atrium mcp', () => {
  const world = worldOf('sqlite')

  it('exits with 0 when its input ends and writes only messages', async () => {
    const env = { ...process.env, ATRIUM_URL: world.server.url, ATRIUM_KEY: world.acme.key }
    const child = spawn(program, ['mcp'], { env, stdio: ['pipe', 'pipe', 'pipe'] })
    let out = ''
    let err = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
      child.stdin.end()
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text
    })
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'hand', version: '1' } }
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
    const [code] = await once(child, 'close')
    assert.deepEqual([code, err], [0, ''])
    const { result } = JSON.parse(out)
    assert.deepEqual([result.protocolVersion, result.serverInfo.name], ['2025-06-18', 'atrium'])
    assert.match(result.instructions, /^Atrium manages/)
  })

  it('accepts the protocol without a handshake', async () => {
    const agent = await overStdio(world.server.url, world.acme.key, 'no handshake')
    assert.equal((await agent.do('me_retrieve')).organization.id, world.acme.id)
    await agent.close()
  })

  it('lists only the core tools with --tools core', async () => {
    const agent = await overStdio(world.server.url, world.acme.key, 'handshake', ['--tools', 'core'])
    assert.deepEqual(new Set(await agent.tools()), core_tools)
    assert.equal((await agent.do('usage_retrieve')).object, 'usage')
    await agent.close()
  })

  it('names itself and its client in the request log', async () => {
    const agent = await overStdio(world.server.url, world.acme.key)
    const result = await agent.call('api_retrieve')
    const log = await agent.do('request_logs_retrieve', { id: result._meta?.['atrium/request_id'] })
    assert.match(log.user_agent, /^atrium-mcp\/\S+ \(tests\/1\)$/)
    await agent.close()
  })

  it('uploads a file of this machine by its path, which only stdio offers', async () => {
    const workspace = (await world.make('/v1/workspaces', { title: 'Files' })).id
    const path = join(world.database.folder, 'Berth plan.bin')
    const content = Buffer.alloc(3 * limits.body_bytes_max, 'berth')
    writeFileSync(path, content)
    const agent = await overStdio(world.server.url, world.acme.key)
    const file = await agent.do('files_create', { workspace, path })
    const sha256 = createHash('sha256').update(content).digest('hex')
    assert.deepEqual([file.name, file.bytes, file.sha256], ['Berth plan.bin', content.length, sha256])
    assert.equal((await agent.do('files_create', { workspace, path, name: 'Plan.bin' })).name, 'Plan.bin')
    for (const [wrong, reason] of [
      [{ path: join(world.database.folder, 'none.bin') }, /none\.bin cannot be read: ENOENT/],
      [{ path: world.database.folder }, /it is not a file/],
      [{ path, text: 'also' }, /either by path or as text/],
      [{ path: 7 }, /path must be/],
    ] as const) {
      const error = await agent.fail('files_create', { workspace, ...wrong })
      assert.deepEqual([error.code, error.param], ['invalid_request_body', 'path'])
      assert.match(error.message, reason)
    }
    await agent.close()
    const http = await overHttp(world.server.url, world.acme.key)
    assert.equal((await http.fail('files_create', { workspace, path, name: 'a.bin' })).param, 'text')
    await http.close()
  })

  it('refuses arguments over the limit of a body before sending them', async () => {
    const agent = await overStdio(world.server.url, world.acme.key)
    const error = await agent.fail('workspaces_create', { title: 'x'.repeat(limits.body_bytes_max) })
    assert.deepEqual([error.code, error.status, error.request_id], ['invalid_request_body', 400, undefined])
    assert.equal(error.message, 'The arguments are over the limit of 1048576 bytes.')
    await agent.close()
  })

  it('reports a missing key at once', async () => {
    const { code, out, err } = await execute(program, ['mcp', '--url', nowhere], {
      environment: { XDG_CONFIG_HOME: world.database.folder },
    })
    assert.notEqual(code, 0)
    assert.equal(out, '')
    assert.match(err, /^atrium mcp: There is no key [^\n]*ATRIUM_KEY[^\n]*\n$/)
  })

  it('reports an invalid key to the agent', async () => {
    const { id, secret } = await world.key()
    await world.delete(`/v1/api_keys/${id}`)
    const agent = await overStdio(world.server.url, secret)
    await assert.rejects(agent.tools(), { message: /This API key is not valid\. \(invalid_api_key\)/ })
    const error = await agent.fail('workspaces_list')
    assert.deepEqual([error.code, error.status], ['invalid_api_key', 401])
    await agent.close()
  })

  describe('without a server', () => {
    let agent: Agent
    before(async () => {
      agent = await overStdio(nowhere, world.acme.key)
    })
    after(() => agent.close())

    it('still answers its client and names the unreachable server', async () => {
      await assert.rejects(agent.tools(), { message: /127\.0\.0\.1:1 cannot be reached/ })
    })

    it('names the key that makes a retry safe', async () => {
      const error = await agent.fail('workspaces_create', { title: 'Lost' })
      assert.equal(error.code, 'unreachable')
      assert.match(error.idempotency_key, /^[0-9a-f-]{36}$/)
      const made = await overStdio(world.server.url, world.acme.key)
      const { title } = await made.do('workspaces_create', { title: 'Lost', idempotency_key: error.idempotency_key })
      assert.equal(title, 'Lost')
      await made.close()
    })
  })
})
