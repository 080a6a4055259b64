/** The access that people have given to applications, as owners see and end it. */
import assert from 'node:assert/strict'
import { before, beforeEach, it } from 'node:test'
import { console_limits } from '../../src/console/limits.ts'
import { query } from '../../src/db/query.ts'
import { newId } from '../../src/lib/ids.ts'
import { type Application, refresh, registerApplication, tokensFor } from '../oauth-client.ts'
import { openStream } from '../stream.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { join, ownerOf, password, refusal, type Visitor } from './visitor.ts'

const allGrants = query((db) => db.selectFrom('oauth_grants').selectAll())

interface Listed {
  readonly id: string
  readonly user: string
  readonly application: { readonly id: string; readonly name: string }
  readonly scopes: readonly string[]
  readonly mode: string
  readonly created: number
  readonly last_used_at: number
}

onEveryWorld('Access of applications, for owners', (world) => {
  const owner = openFirst(() => ownerOf(world))
  let member: Visitor
  let admin: Visitor
  let planner: Application

  before(async () => {
    member = await join(owner, 'plain@acme.example', 'member')
    admin = await join(owner, 'admin@acme.example', 'admin')
    planner = await registerApplication(owner)
  })
  beforeEach(() => owner.must('POST', 'step-up', { password }))

  const path = 'organization/oauth-grants'
  const listed = async (): Promise<Listed[]> => (await owner.must('GET', path)).data
  const me = (key: string) => world.get('/v1/me', { key })
  const userOf = async (visitor: Visitor): Promise<string> => (await visitor.arrive()).user.id

  it('lists that of all people, the newest first, with application, person, scopes and last use', async () => {
    const { refresh_token } = await tokensFor(member, planner)
    await tokensFor(owner, planner, { scope: 'tasks:read' })
    world.clock.advance(60_000)
    const at = Math.floor(world.clock.now() / 1000)
    assert.equal((await refresh(world.server.url, planner, refresh_token)).status, 200)
    const rows = await listed()
    assert.deepEqual(
      rows.map(({ user, application, scopes, mode, created, last_used_at }) => [
        ...[user, application, scopes, mode, at - created, at - last_used_at],
      ]),
      [
        [await userOf(owner), { id: planner.id, name: 'Planner' }, ['tasks:read'], 'live', 60, 60],
        [
          await userOf(member),
          { id: planner.id, name: 'Planner' },
          ['api:read', 'tasks:read', 'tasks:write'],
          'live',
          60,
          0,
        ],
      ],
    )
    assert.equal((await owner.must('GET', path)).next_cursor, null)
  })

  it('is shown to no other role, and to no other organization', async () => {
    const [row] = await listed()
    for (const visitor of [admin, member]) {
      await visitor.must('POST', 'step-up', { password })
      assert.deepEqual(refusal(await visitor.get(path)), [403, 'role_required'])
      assert.deepEqual(refusal(await visitor.delete(`${path}/${row?.id}`)), [403, 'role_required'])
    }
    const globex = await ownerOf(world, world.globex)
    assert.deepEqual((await globex.must('GET', path)).data, [])
    const without = (text: string, id: string) => text.replaceAll(id, '').replace(/"request_id":"[^"]*"/, '')
    const none = 'ogr_01KZ0000000000000000000000'
    const [foreign, missing] = [await globex.delete(`${path}/${row?.id}`), await globex.delete(`${path}/${none}`)]
    assert.deepEqual([foreign.status, without(foreign.text, row?.id ?? '')], [404, without(missing.text, none)])
    assert.equal((await listed()).length, 2)
  })

  it('ends at once with both tokens and open streams, and the log says which owner ended it', async () => {
    const person = await join(owner, 'ended@acme.example', 'member')
    const { access_token, refresh_token } = await tokensFor(person, planner, { scope: 'api:read' })
    const id = (await listed())[0]?.id ?? ''
    const stream = await openStream(world.server.url, access_token, '')
    await world.markWritten()
    assert.deepEqual(await owner.must('DELETE', `${path}/${id}`), { id, object: 'oauth_grant', deleted: true })
    await world.assertWritten({ events: [], audit: ['oauth_grants.delete'] })
    await stream.ended
    assert.equal((await me(access_token)).status, 401)
    assert.equal((await refresh(world.server.url, planner, refresh_token)).status, 400)
    assert.deepEqual((await person.must('GET', 'oauth/grants')).data, [])
    const { data } = (await world.get('/v1/audit_logs?limit=1')).body
    assert.deepEqual([data[0].actor.id, data[0].target], [await userOf(owner), { object: 'oauth_grant', id }])
    assert.deepEqual(refusal(await owner.delete(`${path}/${id}`)), [404, 'resource_not_found', 'id'])
  })

  it('needs a recent confirmation to end', async () => {
    const [row] = await listed()
    world.clock.advance(console_limits.step_up_ms + 1000)
    assert.deepEqual(refusal(await owner.delete(`${path}/${row?.id}`)), [403, 'step_up_required'])
    assert.equal((await listed()).length, 2)
  })

  it('pages through more than a page without a gap', async () => {
    const [row] = await listed()
    const copies = console_limits.console_page
    const grants = await world.services.store.reader('system').all(allGrants)
    const grant = grants.find(({ id }) => id === row?.id)
    assert.ok(grant)
    await world.services.store.write('system', async (tx) => {
      for (let i = 0; i < copies; i++) {
        const id = newId('ogr', world.clock.now())
        tx.insert('oauth_grants', { ...grant, id, code_digest: `code ${i}`, refresh_digest: `refresh ${i}` })
      }
    })
    const first = await owner.must('GET', path)
    const second = await owner.must('GET', `${path}?cursor=${first.next_cursor}`)
    assert.deepEqual([first.data.length, second.data.length, second.next_cursor], [copies, 2, null])
    assert.equal(new Set([...first.data, ...second.data].map(({ id }: Listed) => id)).size, copies + 2)
  })
})
