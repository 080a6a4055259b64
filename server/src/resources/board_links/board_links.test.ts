import assert from 'node:assert/strict'
import { it } from 'node:test'
import { beginGuest, makeLink, newBrowser, open } from '../../../test/board-guests.ts'
import { join, ownerOf, password, refusal } from '../../../test/console/visitor.ts'
import { onEveryWorld } from '../../../test/world.ts'
import { day_ms } from '../../lib/units.ts'
import { addMember, setMember } from '../members/write.ts'
import { board_link_limits } from './limits.ts'

onEveryWorld('links for guests', (world) => {
  const makeBoard = async (): Promise<string> => (await world.make('/v1/boards', { name: 'Plan' })).id
  const now = () => Math.floor(world.clock.now() / 1000)
  const linksOf = async (board: string) => (await world.get(`/v1/boards/${board}/links`)).body.data
  let people = 0
  /** A member of the organization with a role on a board, and a key of her own. */
  const makePerson = async (board: string, role: string) => {
    const added = await addMember(world.services, world.acme.id, { email: `person${++people}@acme.example` })
    const { secret: key, id } = await world.key({ owner: { type: 'user', id: added.user } })
    await world.make(`/v1/boards/${board}/members`, { user: added.user, role })
    return { user: added.user, member: added.id, key, keyId: id }
  }
  const opens = async (secret: string) => (await open(world, secret)).status === 200

  it('a link shows its secret once, and afterwards neither in lists nor in events', async () => {
    const board = await makeBoard()
    await world.markWritten()
    const link = await makeLink(world, board, { role: 'viewer' })
    await world.assertWritten({ events: ['whiteboard.board_link.created'], audit: ['board_links.create'] })
    const { secret: _, ...shown } = link
    assert.deepEqual(shown, {
      ...{ id: link.id, object: 'board_link', created: now(), updated: now(), board, name: 'Workshop' },
      ...{ role: 'viewer', expires_at: now() + 7 * 86_400, last_used_at: null },
      creator: { type: 'api_key', id: world.acme.keyId },
    })
    assert.deepEqual(await linksOf(board), [shown])
    const { body } = await world.get('/v1/events?types[]=whiteboard.board_link.created&limit=1')
    assert.deepEqual(body.data[0].data.object, shown)
    await world.delete(`/v1/boards/${board}/links/${link.id}`)
    await world.assertWritten({ events: ['whiteboard.board_link.deleted'], audit: ['board_links.delete'] })
    assert.deepEqual(await linksOf(board), [])
  })

  it('a link ends in the future, after 90 days at most, and with an expiring credential of the organization', async () => {
    const board = await makeBoard()
    const most = now() + board_link_limits.board_link_ms_max / 1000
    assert.equal((await makeLink(world, board, { expires_at: most })).expires_at, most)
    for (const expires_at of [now(), most + 1]) {
      const reply = await world.post(`/v1/boards/${board}/links`, { name: 'Late', role: 'viewer', expires_at })
      assert.deepEqual(refusal(reply), [400, 'invalid_request_body', 'expires_at'])
      assert.match(
        reply.body.error.message,
        new RegExp(`${expires_at} is not in the range from ${now() + 1} to ${most}`),
      )
    }
    const expiresAt = world.clock.now() + day_ms
    const { secret: key } = await world.key({ expiresAt })
    assert.equal((await makeLink(world, board, {}, { key })).expires_at, expiresAt / 1000)
  })

  it('editors of a board make and revoke its links; commenters, viewers and other members do not', async () => {
    const board = await makeBoard()
    const editor = await makePerson(board, 'editor')
    const made = await makeLink(world, board, {}, { key: editor.key })
    for (const role of ['commenter', 'viewer']) {
      const { key } = await makePerson(board, role)
      const body = { name: 'Mine', role: 'viewer' }
      assert.deepEqual(refusal(await world.post(`/v1/boards/${board}/links`, body, { key })), [
        403,
        'insufficient_scope',
      ])
      const gone = await world.delete(`/v1/boards/${board}/links/${made.id}`, { key })
      assert.deepEqual(refusal(gone), [403, 'insufficient_scope'])
    }
    const elsewhere = await makeBoard()
    assert.equal((await world.delete(`/v1/boards/${elsewhere}/links/${made.id}`)).status, 404)
    const body = { name: 'Theirs', role: 'viewer' }
    assert.equal((await world.post(`/v1/boards/${board}/links`, body, { key: world.globex.key })).status, 404)
    assert.equal((await world.delete(`/v1/boards/${board}/links/${made.id}`, { key: editor.key })).status, 200)
  })

  it('opening a link is audited with the link as actor, and shows as its last use', async () => {
    const board = await makeBoard()
    const link = await makeLink(world, board)
    const browser = await newBrowser(world)
    const about = await browser.must('POST', 'board-guests/link', { secret: link.secret })
    assert.deepEqual(about, { name: 'Plan', role: 'editor', expires_at: link.expires_at })
    await world.markWritten()
    const begun = await beginGuest(world, link.secret, '  Kim \u202c\n Lee ')
    assert.equal(begun.guest.name, 'Kim Lee')
    await world.assertWritten({ events: [], audit: ['board_links.open'] })
    const [entry] = (await world.get(`/v1/audit_logs?action=board_links.open&room=${board}`)).body.data
    assert.deepEqual(
      [entry.actor, entry.target, entry.credential],
      [{ type: 'board_link', id: link.id }, { object: 'board_guest', id: begun.guest.id }, null],
    )
    assert.equal((await linksOf(board))[0].last_used_at, now())
  })

  it('refuses names that are empty, too long or invisible', async () => {
    const { secret } = await makeLink(world, await makeBoard())
    for (const name of ['', ' \n', '\u200b', 'x'.repeat(61), 'Kim \u202e', '\u2066\u2069 ']) {
      assert.deepEqual(
        refusal(await open(world, secret, name)),
        [400, 'invalid_request_body', 'name'],
        JSON.stringify(name),
      )
    }
  })

  it('a wrong, revoked or ended secret, and the secret of an archived board, get one and the same answer', async () => {
    const board = await makeBoard()
    const [revoked, ended, archived] = [await makeLink(world, board), await makeLink(world, board), await makeBoard()]
    const closed = await makeLink(world, archived)
    await world.delete(`/v1/boards/${board}/links/${revoked.id}`)
    await world.delete(`/v1/boards/${archived}`)
    world.clock.advance(board_link_limits.board_link_ms_default)
    const wrong = revoked.secret.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))
    const answers = new Set<string>()
    for (const secret of [wrong, revoked.secret, ended.secret, closed.secret, 'nothing', '__proto__', world.acme.key]) {
      for (const path of ['board-guests', 'board-guests/link']) {
        const browser = await newBrowser(world)
        const reply = await browser.post(path, { secret, ...(path === 'board-guests' && { name: 'Kim' }) })
        answers.add(`${reply.status} ${reply.text.replace(String(reply.headers['x-request-id']), '')}`)
      }
    }
    assert.equal(answers.size, 1, [...answers].join('\n'))
    assert.match([...answers][0] ?? '', /^404 .*"code":"link_invalid"/)
  })

  it('ends with the right of the person who made it: the role on the board, the membership, the role in the organization', async () => {
    const board = await makeBoard()
    const ada = await makePerson(board, 'editor')
    const { secret } = await makeLink(world, board, {}, { key: ada.key })
    assert.ok(await opens(secret))
    await world.patch(`/v1/boards/${board}/members/${ada.user}`, { role: 'commenter' })
    assert.equal(await opens(secret), false)
    await world.patch(`/v1/boards/${board}/members/${ada.user}`, { role: 'editor' })
    assert.ok(await opens(secret))
    await world.delete(`/v1/boards/${board}/members/${ada.user}`)
    assert.equal(await opens(secret), false)
    await world.make(`/v1/boards/${board}/members`, { user: ada.user, role: 'editor' })
    // The link is the person's, not that of the key.
    await world.delete(`/v1/api_keys/${ada.keyId}`)
    assert.ok(await opens(secret))
    await setMember(world.services, ada.member, { status: 'inactive' })
    assert.equal(await opens(secret), false)
  })

  it('ends when the person who made it becomes a guest of the organization', async () => {
    const owner = await ownerOf(world)
    const project = await makeProject()
    const visitor = await join(owner, 'grace@acme.example', 'member')
    const { user } = await visitor.arrive()
    const { id: board } = await world.make('/v1/boards', { name: 'Plan', project })
    await world.make(`/v1/boards/${board}/members`, { user: user.id, role: 'editor' })
    const { secret } = await makeLink(world, board, {}, { key: await visitor.token() })
    assert.ok(await opens(secret))
    await owner.must('POST', 'step-up', { password })
    await owner.must('PATCH', `people/${user.id}`, { role: 'guest', projects: [project] })
    assert.equal(await opens(secret), false)
  })

  const makeProject = async (): Promise<string> => {
    const { id: workspace } = await world.make('/v1/workspaces', { title: 'Yard' })
    return (await world.make('/v1/projects', { workspace, name: 'Slipway' })).id
  }

  it('ends with the key of the organization that made it', async () => {
    const board = await makeBoard()
    const { secret: key, id } = await world.key()
    const { secret } = await makeLink(world, board, {}, { key })
    assert.ok(await opens(secret))
    await world.delete(`/v1/api_keys/${id}`)
    assert.equal(await opens(secret), false)
  })

  it('refuses more sessions of a link within 15 minutes than its limit, and more links of a board', async () => {
    const board = await makeBoard()
    const { secret } = await makeLink(world, board)
    for (let i = 0; i < board_link_limits.board_guest_starts_max; i++) assert.ok(await opens(secret))
    const reply = await open(world, secret)
    assert.deepEqual(refusal(reply), [429, 'too_many_attempts'])
    assert.equal(reply.headers['retry-after'], '900')
    world.clock.advance(board_link_limits.board_guest_starts_ms)
    assert.ok(await opens(secret))
    for (let i = 1; i < board_link_limits.board_links_max; i++) await makeLink(world, board)
    const full = await world.post(`/v1/boards/${board}/links`, { name: 'More', role: 'viewer' })
    assert.deepEqual(refusal(full), [409, 'resource_conflict'])
  })
})
