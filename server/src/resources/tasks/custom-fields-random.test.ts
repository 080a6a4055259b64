import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { assertFolds } from '../../../test/fold.ts'
import { onEveryWorld, type World } from '../../../test/world.ts'

const keys = ['a', 'b', 'c'] as const
const types = ['text', 'number', 'date', 'checkbox', 'select', 'multi_select', 'person', 'url'] as const
const option_ids = ['red', 'green', 'blue'] as const

type Key = (typeof keys)[number]
type Definition = { id: string; type: (typeof types)[number]; options: string[] }
type Fields = Record<string, unknown>

/** Written by hand from contract/15, so that it shares no code with the server. */
const fits: Record<Definition['type'], (value: unknown, options: string[], user: string) => boolean> = {
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  date: (value) => value === '2028-02-29' || value === '2026-01-31',
  checkbox: (value) => typeof value === 'boolean',
  select: (value, options) => options.some((id) => id === value),
  multi_select: (value, options) =>
    Array.isArray(value) && value.every((id) => options.includes(id)) && new Set(value).size === value.length,
  person: (value, _, user) => value === user,
  url: (value) => value === 'https://example.com/x',
}

const user_value = '{user}'
const value = fc.oneof(
  fc.constantFrom(
    '',
    'x',
    '7',
    '2028-02-29',
    '2026-01-31',
    '2027-02-29',
    'https://example.com/x',
    'red',
    'blue',
    user_value,
  ),
  fc.constantFrom(7, -0.5, true, false, null),
  fc.array(fc.constantFrom(...option_ids, 'other'), { maxLength: 3 }),
)
const sent = fc.dictionary(fc.constantFrom(...keys, 'free'), value, { maxKeys: 3 })
const some = fc.uniqueArray(fc.constantFrom(...option_ids), { maxLength: 3 })
const command = fc.oneof(
  fc.record({
    kind: fc.constant('define' as const),
    key: fc.constantFrom(...keys),
    type: fc.constantFrom(...types),
    options: some,
  }),
  fc.record({ kind: fc.constant('options' as const), key: fc.constantFrom(...keys), options: some }),
  fc.record({ kind: fc.constant('forget' as const), key: fc.constantFrom(...keys) }),
  fc.record({ kind: fc.constant('create' as const), sent }),
  fc.record({ kind: fc.constant('update' as const), n: fc.nat(), sent }),
  fc.record({ kind: fc.constant('bulk' as const), sent }),
)
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never

const steps_count = 120

onEveryWorld('random custom fields', (world) => {
  it('what is accepted fits, what is refused leaves nothing behind, and the events lead to what GET answers', async () => {
    let accepted = 0
    let refused = 0
    const property = fc.asyncProperty(
      fc.array(command, { minLength: steps_count, maxLength: steps_count }),
      async (run) => {
        const workspace = (await world.make('/v1/workspaces', { title: 'Random' })).id
        const walk = new Walk(world, workspace)
        await walk.step({ kind: 'define', key: 'a', type: 'number', options: [] })
        await walk.step({ kind: 'define', key: 'b', type: 'select', options: ['red'] })
        for (const each of run) await walk.step(each)
        await walk.check()
        accepted += walk.accepted
        refused += walk.refused
      },
    )
    await fc.assert(property, { numRuns: 2, endOnFailure: true })
    await assertFolds(world)
    assert.ok(accepted > 20 && refused > 10, `${accepted} accepted, ${refused} refused`)
  })
})

/** The definitions and tasks of a workspace as they should be. */
class Walk {
  accepted = 0
  refused = 0
  private readonly defined = new Map<Key, Definition>()
  private readonly tasks = new Map<string, Fields>()
  private readonly world: World
  private readonly workspace: string

  constructor(world: World, workspace: string) {
    this.world = world
    this.workspace = workspace
  }

  async step(command: Command): Promise<void> {
    if (command.kind === 'define') await this.define(command.key, command.type, command.options)
    else if (command.kind === 'options') await this.setOptions(command.key, command.options)
    else if (command.kind === 'forget') await this.forget(command.key)
    else await this.write(command.kind, this.filled(command.sent), 'n' in command ? command.n : 0)
  }

  private async define(key: Key, type: Definition['type'], ids: string[]): Promise<void> {
    const options = type.endsWith('select') ? ids : []
    const body = { workspace: this.workspace, key, name: key, type, options: options.map((id) => ({ id, name: id })) }
    const reply = await this.world.post('/v1/custom_fields', body)
    assert.equal(reply.status, this.defined.has(key) ? 409 : 200, reply.text)
    if (reply.status === 200) this.defined.set(key, { id: reply.body.id, type, options })
  }

  private async setOptions(key: Key, ids: string[]): Promise<void> {
    const field = this.defined.get(key)
    if (field === undefined || !field.type.endsWith('select')) return
    const options = ids.map((id) => ({ id, name: id }))
    assert.equal((await this.world.patch(`/v1/custom_fields/${field.id}`, { options })).status, 200)
    field.options = ids
  }

  private async forget(key: Key): Promise<void> {
    const field = this.defined.get(key)
    if (field === undefined) return
    assert.equal((await this.world.delete(`/v1/custom_fields/${field.id}`)).status, 200)
    this.defined.delete(key)
  }

  private filled(fields: Fields): Fields {
    return JSON.parse(JSON.stringify(fields).replaceAll(user_value, this.world.acme.user))
  }

  private async write(kind: 'create' | 'update' | 'bulk', sent: Fields, n: number): Promise<void> {
    const { workspace, world } = this
    const ids = [...this.tasks.keys()]
    const id = ids[n % Math.max(ids.length, 1)]
    if (kind !== 'create' && id === undefined) return
    await world.markWritten()
    const written = kind === 'create' ? [] : kind === 'bulk' ? ids : [id as string]
    const before = kind === 'create' ? [{}] : written.map((each) => this.tasks.get(each) as Fields)
    const reply =
      kind === 'create'
        ? await world.post('/v1/tasks', { workspace, title: 'Random', custom_fields: sent })
        : kind === 'update'
          ? await world.patch(`/v1/tasks/${id}`, { custom_fields: sent })
          : await world.post('/v1/tasks/bulk', { workspace, tasks: ids, set: { custom_fields: sent } })
    const isFitting = before.every((fields) => this.isFitting(fields, sent))
    assert.equal(reply.status, isFitting ? 200 : 400, reply.text)
    if (!isFitting) {
      this.refused++
      const key = String(reply.body.error.param).replace(/^(set\.)?custom_fields\./, '')
      assert.ok(
        before.some((fields) => !this.isFitting(fields, { [key]: sent[key] })),
        reply.text,
      )
      await world.assertWritten({ events: [], audit: [] })
      return
    }
    this.accepted++
    const after = before.map((fields) => merged(fields, sent))
    if (kind === 'create') this.tasks.set(reply.body.id, after[0] as Fields)
    for (const [i, each] of written.entries()) this.tasks.set(each, after[i] as Fields)
  }

  private isFitting(before: Fields, sent: Fields): boolean {
    return Object.entries(sent).every(([key, value]) => {
      const field = this.defined.get(key as Key)
      if (field === undefined || value === null || JSON.stringify(before[key]) === JSON.stringify(value)) return true
      return fits[field.type](value, field.options, this.world.acme.user)
    })
  }

  async check(): Promise<void> {
    for (const [id, fields] of this.tasks) {
      assert.deepEqual((await this.world.get(`/v1/tasks/${id}`)).body.custom_fields, fields)
    }
  }
}

function merged(before: Fields, sent: Fields): Fields {
  return Object.fromEntries(Object.entries({ ...before, ...sent }).filter(([, value]) => value !== null))
}
