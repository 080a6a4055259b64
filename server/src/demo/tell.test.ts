import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { onEveryWorld } from '../../test/world.ts'
import { type Placeholder, query } from '../db/query.ts'
import { story_hours, tellStory } from './tell.ts'
import { Teller } from './teller.ts'

const day_ms = 86_400_000

const eventsOf = query((db, p: Placeholder<{ realm: number }>) =>
  db
    .selectFrom('events')
    .select(['type', 'created', 'actor_type', 'actor_id'])
    .where('realm', '=', p('realm'))
    .orderBy('sequence'),
)
const auditOf = query((db, p: Placeholder<{ organization: string; realm: number }>) =>
  db
    .selectFrom('audit_entries')
    .select(['action', 'entry'])
    .where('organization', '=', p('organization'))
    .where('realm', '=', p('realm'))
    .orderBy('sequence'),
)
const accounts = query((db) => db.selectFrom('accounts').select('id'))
const sessions = query((db) => db.selectFrom('sessions').select('id'))
const tokens = query((db) => db.selectFrom('session_tokens').select('session as id'))
const keysOf = query((db, p: Placeholder<{ realm: number }>) =>
  db.selectFrom('credentials').select('id').where('realm', '=', p('realm')),
)

onEveryWorld("the demo organization's story", (world) => {
  let ends: number
  before(async () => {
    ends = world.clock.now()
    const { id: organization, user, realms } = world.acme
    await tellStory(new Teller(world.services, story_hours), { organization, user, realms })
  })

  const events = async () =>
    await world.services.store.reader('system').all(eventsOf, { realm: world.acme.realms.live })

  it('consists of its people’s requests: the operator only adds the people', async () => {
    const { data } = (await world.get('/v1/members')).body
    const active = data.filter(({ status }: { status: string }) => status === 'active')
    const people = active.map(({ user }: { user: string }) => user)
    const recorded = await events()
    const others = recorded.filter(({ actor_type, actor_id }) => actor_type !== 'user' || !people.includes(actor_id))
    assert.deepEqual(
      others.map(({ type, actor_type }) => [type, actor_type]),
      [['platform.member.updated', 'system'], ...Array(5).fill(['platform.member.created', 'system'])],
    )
    assert.deepEqual(new Set(recorded.map(({ actor_id }) => actor_id)), new Set(['system', ...people]))
    const { id: organization, realms } = world.acme
    const entries = await world.services.store.reader('system').all(auditOf, { organization, realm: realms.live })
    const unsigned = entries.filter(({ entry }) => JSON.parse(entry).actor.type !== 'user')
    assert.deepEqual(new Set(unsigned.map(({ action }) => action)), new Set(['members.update', 'members.create']))
  })

  it('leaves no key, account, session or token behind, and its credentials admit no other caller', async () => {
    const reader = world.services.store.reader('system')
    assert.deepEqual(await reader.all(keysOf, { realm: world.acme.realms.live }), [{ id: world.acme.keyId }])
    for (const rows of [accounts, sessions, tokens]) assert.deepEqual(await reader.all(rows, {}), [])
    assert.equal((await world.get('/v1/me', { key: world.acme.user })).status, 401)
  })

  it('runs over six days in order of time, and little of it happens at its end', async () => {
    const times = (await events()).map(({ created }) => created)
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    )
    const days = new Set(times.map((at) => Math.ceil((ends - at) / day_ms)))
    assert.deepEqual([...days], [6, 5, 4, 3, 2, 1, 0])
    const last = times.filter((at) => at === ends)
    assert.ok(last.length <= 4, `${last.length} at once`)
  })
})
