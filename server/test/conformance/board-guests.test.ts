/** The token of a guest of a link, tried at everything but the live board of the link: it is answered like one that never existed. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { makeCredential } from '../../src/api/declare/credential-format.ts'
import { catalogue } from '../../src/catalogue.ts'
import { endpoints } from '../../src/console/endpoints.ts'
import { link_roles } from '../../src/resources/board_links/board_link.ts'
import { type BegunGuest, beginGuest, makeLink, newBrowser } from '../board-guests.ts'
import { call, type Reply } from '../call.ts'
import { ownerOf } from '../console/visitor.ts'
import { populate, sendCall } from '../things.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { comparable } from './answers.ts'

onEveryWorld('The token of a guest of a link', (world) => {
  const things = openFirst(() => populate(world))
  let begun: BegunGuest
  let secret: string
  /** Of a guest of each role of links. */
  let tokens: string[]
  const never = makeCredential('access_token', 'live')
  before(async () => {
    secret = (await makeLink(world, things.id('board'))).secret
    begun = await beginGuest(world, secret)
    tokens = [begun.token]
    for (const role of link_roles) {
      const link = await makeLink(world, things.id('board'), { role })
      tokens.push((await beginGuest(world, link.secret)).token)
    }
  })

  /** An answer without what was sent. */
  const shown = (reply: Reply, sent: string) => JSON.stringify(comparable(reply)).replaceAll(sent, '<token>')
  const assertUnknown = async (about: string, send: (token: string) => Promise<Reply>) => {
    const expected = shown(await send(never), never)
    for (const token of [...tokens, secret]) assert.equal(shown(await send(token), token), expected, about)
  }

  it('is unknown to every operation, whatever else the request is, and writes nothing', async () => {
    const calls = []
    for (const operation of catalogue) calls.push(await things.call(operation))
    await world.markWritten()
    for (const valid of calls) {
      const { id } = valid.operation
      const reply = await sendCall(things, valid, { key: begun.token })
      assert.deepEqual([reply.status, reply.body?.error?.code], [401, 'invalid_access_token'], id)
      await assertUnknown(id, (key) => sendCall(things, valid, { key }))
    }
    await world.assertWritten({ events: [], audit: [] })
  })

  it('is unknown to /mcp, as a key of another case, and as a second credential beside it', async () => {
    const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
    const accept = 'application/json, text/event-stream'
    await assertUnknown('/mcp', (key) =>
      call(world.server.url, 'POST', '/mcp', { key, body: rpc, headers: { accept } }),
    )
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Basic', 'Guest', '']) {
      const send = (token: string) =>
        call(world.server.url, 'GET', '/v1/boards', { headers: { authorization: `${scheme} ${token}` } })
      assert.equal((await send(begun.token)).status, 401, scheme)
      await assertUnknown(scheme, send)
    }
    for (const name of [
      'x-api-key',
      'x-atrium-token',
      'x-guest',
      'cookie',
      'proxy-authorization',
      'x-forwarded-authorization',
    ]) {
      const send = (token: string) => call(world.server.url, 'GET', '/v1/boards', { headers: { [name]: token } })
      assert.equal((await send(begun.token)).body.error.code, 'missing_api_key', name)
    }
  })

  it('is refused in a URL as any credential, without being shown', async () => {
    for (const path of [`/v1/boards?token=${begun.token}`, `/b/${secret}`, `/app/api/board-guests?secret=${secret}`]) {
      const reply = await call(world.server.url, 'GET', path, { key: world.acme.key })
      assert.doesNotMatch(reply.text, new RegExp(`${begun.token}|${secret}`), path)
      assert.ok(reply.status === 401 || reply.status === 404, `${path}: ${reply.status}`)
    }
  })

  it('gives no session of the console: every endpoint that needs one refuses it, as cookie and as header', async () => {
    const browser = await newBrowser(world)
    for (const { name, method, path, needs } of endpoints) {
      if (needs === 'nothing') continue
      const filled = path.join('/').replaceAll(/\{\w+\}/g, things.id('board'))
      for (const token of [begun.token, secret]) {
        for (const options of [{ cookie: token }, { headers: { authorization: `Bearer ${token}` } }]) {
          const sent = method === 'GET' ? options : { ...options, body: {} }
          const { status, body } = await browser.send(method, filled, sent)
          const code = body?.error?.code
          // To people who are no operators, their endpoints do not exist.
          assert.ok(
            code === 'session_required' || (status === 404 && code === 'resource_not_found'),
            `${name}: ${code}`,
          )
        }
      }
    }
  })

  it('is all that the endpoints of guests take: every other credential is answered there like one that does not exist', async () => {
    const owner = await ownerOf(world)
    const others = [world.acme.key, world.globex.key, secret, await owner.token(), owner.cookie ?? '', '__proto__']
    const place = { key: 'first-comment', body: 'Here', position: { x: 0, y: 0 } }
    const sent = {
      'board-guests/comments': place,
      'board-guests/comments/delete': { id: 'bcm_any' },
      'board-guests/comments/read': {},
      'board-guests/comments/update': { id: 'bcm_any', body: 'There' },
      'board-guests/images': { file: 'a' },
      'board-guests/images/store': { file: 'a', data_url: 'data:image/gif;base64,R0lGODlh' },
    }
    const guests = endpoints.filter(({ path }) => path[0] === 'board-guests').map(({ path }) => path.join('/'))
    assert.deepEqual(guests.toSorted(), ['board-guests', 'board-guests/link', ...Object.keys(sent)].toSorted())
    await world.markWritten()
    for (const [path, fields] of Object.entries(sent)) {
      const expected = shown(await owner.post(path, { ...fields, token: never }), never)
      assert.match(expected, /link_invalid/)
      for (const token of others) {
        const reply = await owner.post(path, { ...fields, token }, { headers: { authorization: `Bearer ${token}` } })
        assert.equal(shown(reply, token), expected, `${path} with ${token.slice(0, 12)}`)
      }
    }
    await world.assertWritten({ events: [], audit: [] })
  })
})
