import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { assertRefused } from '../../../../test/conformance/answers.ts'
import { onEveryWorld } from '../../../../test/world.ts'

onEveryWorld('filters by defined custom fields', (world) => {
  let workspace: string
  let key: string
  before(async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Kubernetes' })).id
    const options = [
      { id: 'o1', name: 'In review' },
      { id: 'o2', name: 'Café' },
    ]
    const types = { points: 'number', launch: 'date', ready: 'checkbox', owner: 'person', note: 'text' }
    for (const [key, type] of Object.entries(types))
      await world.make('/v1/custom_fields', { workspace, key, name: key, type })
    for (const [key, type] of [
      ['stage', 'select'],
      ['areas', 'multi_select'],
    ] as const)
      await world.make('/v1/custom_fields', { workspace, key, name: key, type, options })
    const { user } = world.acme
    key = (await world.key({ owner: { type: 'user', id: user } })).secret
    await make('a', { points: 9, launch: '2026-08-04', ready: true, owner: user, stage: 'o1', areas: ['o1', 'o2'] })
    await make('b', { points: 10, launch: '2026-08-20', ready: false, stage: 'o2', areas: ['o2'], note: 'me' })
  })

  const make = (title: string, custom_fields: object) => world.make('/v1/tasks', { workspace, title, custom_fields })
  const list = (filter: string) =>
    world.get(`/v1/tasks?workspace=${workspace}&filter=${encodeURIComponent(filter)}&sort=title`, { key })

  const found: readonly (readonly [filter: string, titles: string])[] = [
    ['custom_fields.points > 9', 'b'],
    ['custom_fields.launch <= today', 'a'],
    ['custom_fields.launch = today', 'a'],
    ['custom_fields.launch > today+2w', 'b'],
    ['custom_fields.launch = 2026-08-20', 'b'],
    ['custom_fields.ready = true', 'a'],
    ['custom_fields.owner = me', 'a'],
    ['custom_fields.owner = "owner@acme.example"', 'a'],
    ['custom_fields.stage = "in review"', 'a'],
    ['custom_fields.stage = o1', 'a'],
    ['custom_fields.stage IN ("In review", "CAFE\u0301")', 'a b'],
    ['custom_fields.stage != Café', 'a'],
    ['custom_fields.areas = "In review"', 'a'],
    ['custom_fields.areas:Café', 'a b'],
    ['custom_fields.stage:*', 'a b'],
    ['custom_fields.note = me', 'b'],
    ['custom_fields.undefined_key = anything', ''],
  ]

  it('values of the type, and names of options and people, find their tasks', async () => {
    for (const [filter, titles] of found) {
      const { status, body, text } = await list(filter)
      assert.equal(status, 200, text)
      assert.equal(body.data.map(({ title }: { title: string }) => title).join(' '), titles, filter)
    }
  })

  it('a value that the type cannot have is refused, and the message says what fits', async () => {
    const wrong = [
      'points = many',
      'points > "9"',
      'launch < soon',
      'launch = 2026-02-30',
      'ready = yes',
      'owner = "Not there"',
      'stage = unknown',
      'stage > o1',
      'areas:ios',
    ]
    for (const each of wrong) assertRefused(await list(`custom_fields.${each}`), 'invalid_query_parameter', 'filter')
    assert.equal(
      (await list('custom_fields.stage = unknown')).body.error.message,
      'The field `custom_fields.stage` cannot be "unknown". Use one of the options: "In review", "Café".',
    )
    const saved = { workspace, name: 'By it', filter: 'custom_fields.stage = unknown' }
    assertRefused(await world.post('/v1/saved_filters', saved), 'invalid_request_body', 'filter')
  })
})
