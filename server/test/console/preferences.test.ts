/** What people choose for themselves: time zone, language, week, mail and quiet hours. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { newId } from '../../src/lib/ids.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { ownerOf } from './visitor.ts'

onEveryWorld('preferences', (world) => {
  const owner = openFirst(() => ownerOf(world))
  const nothing = {
    time_zone: null,
    language: null,
    week_starts_on: null,
    mail: {},
    push: {},
    favorites: {},
    quiet_from: null,
    quiet_to: null,
  }

  it('are the person’s own, are kept field by field, and have an audit entry', async () => {
    assert.deepEqual((await owner.must('GET', 'session')).preferences, nothing)
    await world.markWritten()
    const zone = { time_zone: 'Europe/Berlin', language: 'de', week_starts_on: 7 }
    await owner.must('PATCH', 'preferences', zone)
    await world.assertWritten({ events: [], audit: ['preferences.update', 'preferences.update'] })
    await owner.must('PATCH', 'preferences', { mail: { comment: 'never' } })
    const { preferences } = await owner.must('PATCH', 'preferences', {
      mail: { status: 'at_once' },
      push: { overdue: false },
      quiet_from: 1200,
      quiet_to: 480,
    })
    const expected = {
      ...nothing,
      ...zone,
      mail: { comment: 'never', status: 'at_once' },
      push: { overdue: false },
      quiet_from: 1200,
      quiet_to: 480,
    }
    assert.deepEqual(preferences, expected)
    assert.deepEqual((await owner.must('GET', 'session')).preferences, expected)
    await world.markWritten()
    await owner.must('PATCH', 'preferences', zone)
    await world.assertWritten({ events: [], audit: [] })
    const other = await ownerOf(world, world.globex)
    assert.deepEqual((await other.must('GET', 'session')).preferences, nothing)
  })

  it('keep favorites of each mode in the order that was sent', async () => {
    const live = ['brd', 'flow', 'prj'].map((prefix) => newId(prefix, 0))
    const test = [newId('prj', 0)]
    const { preferences } = await owner.must('PATCH', 'preferences', { favorites: { live } })
    assert.deepEqual(preferences.favorites, { live })
    await owner.must('PATCH', 'preferences', { favorites: { test } })
    await owner.must('PATCH', 'preferences', { favorites: { live: live.toReversed() } })
    await owner.must('PATCH', 'preferences', { week_starts_on: 6 })
    assert.deepEqual((await owner.must('GET', 'session')).preferences.favorites, { live: live.toReversed(), test })
  })

  const favorite = newId('prj', 0)
  for (const [param, sent] of [
    ['time_zone', { time_zone: 'Mars/Olympus' }],
    ['time_zone', { time_zone: '+02:00' }],
    ['language', { language: 'not a tag' }],
    ['week_starts_on', { week_starts_on: 8 }],
    ['mail.comment', { mail: { comment: 'sometimes' } }],
    ['mail.gossip', { mail: { gossip: 'never' } }],
    ['push.comment', { push: { comment: 'yes' } }],
    ['push.gossip', { push: { gossip: true } }],
    ['favorites.live', { favorites: { live: [favorite, favorite] } }],
    ['favorites.test', { favorites: { test: Array.from({ length: 51 }, () => newId('prj', 0)) } }],
    ['favorites.live[0]', { favorites: { live: [newId('tsk', 0)] } }],
    ['favorites.live[1]', { favorites: { live: [favorite, 'prj_'] } }],
    ['favorites.all', { favorites: { all: [] } }],
    ['quiet_to', { quiet_from: 60, quiet_to: null }],
    ['quiet_to', { quiet_from: 60, quiet_to: 60 }],
    ['quiet_from', { quiet_from: 1440, quiet_to: 3 }],
  ] as const) {
    it(`refuse ${JSON.stringify(sent)}`, async () => {
      const before = (await owner.must('GET', 'session')).preferences
      const reply = await owner.patch('preferences', sent)
      assert.deepEqual([reply.status, reply.body.error.param], [400, param])
      assert.deepEqual((await owner.must('GET', 'session')).preferences, before)
    })
  }
})
