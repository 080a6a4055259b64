import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertRefused } from '../../../test/conformance/answers.ts'
import { onEveryWorld } from '../../../test/world.ts'
import { isPublicId } from '../../lib/ids.ts'
import { insertTasks, workspaceOf } from './rows.test.ts'

type Shown = { id: string; title: string }

onEveryWorld('tasks.list in the order of custom fields', (world) => {
  const define = (workspace: string, key: string, type: string, options: object[] = []) =>
    world.make('/v1/custom_fields', { workspace, key, name: key, type, options })
  const options = ['low', 'mid', 'high'].map((id) => ({ id, name: id }))

  /** A workspace with a task for each value of the key; the title is its number. */
  async function tasksWith(key: string, values: readonly unknown[], more: object = {}) {
    const workspace = await workspaceOf(world)
    const drafts = values.map((value, i) => ({
      ...more,
      title: `${i}`,
      custom_fields: JSON.stringify(value === undefined ? {} : { [key]: value }),
    }))
    await insertTasks(world, workspace, drafts)
    return workspace.id
  }

  /** The titles of all pages, and those of all pages backwards from the last task. */
  async function walk(query: string, limit = 3): Promise<number[]> {
    const seen: Shown[] = []
    let cursor = ''
    for (;;) {
      const { status, body, text } = await world.get(`/v1/tasks?${query}&limit=${limit}${cursor}`)
      assert.equal(status, 200, text)
      seen.push(...body.data)
      if (!body.has_more) break
      assert.ok(isPublicId(body.next_cursor), body.next_cursor)
      cursor = `&starting_after=${body.next_cursor}`
    }
    const backwards: Shown[] = []
    for (let before = seen.at(-1)!.id; ; ) {
      const { body } = await world.get(`/v1/tasks?${query}&limit=${limit}&ending_before=${before}`)
      backwards.unshift(...body.data)
      if (!body.has_more) break
      before = body.next_cursor
    }
    assert.deepEqual(
      backwards.map(({ id }) => id),
      seen.slice(0, -1).map(({ id }) => id),
    )
    return seen.map(({ title }) => Number(title))
  }

  const orders: [type: string, values: unknown[], ascending: number[], descending: number[]][] = [
    ['number', [10, 9, undefined, -1, '9', 9, 2.5], [3, 6, 1, 5, 0, 2, 4], [0, 5, 1, 6, 3, 4, 2]],
    ['text', ['b', 'B', '🙂', 'Ａ', undefined, '', 'é', 3], [5, 1, 0, 6, 3, 2, 4, 7], [2, 3, 6, 0, 1, 5, 7, 4]],
    ['date', ['2026-12-01', '1999-01-31', 'soon', '2026-02-30', '2026-11-30'], [1, 4, 0, 2, 3], [0, 4, 1, 3, 2]],
    ['checkbox', [true, false, undefined, 'true', true], [1, 0, 4, 2, 3], [4, 0, 1, 3, 2]],
    ['select', ['high', 'low', 'gone', 'mid', 'low'], [1, 4, 3, 0, 2], [0, 3, 4, 1, 2]],
    ['multi_select', [['high'], ['low', 'high'], [], ['mid', 'low'], ['low']], [4, 3, 1, 0, 2], [0, 1, 3, 4, 2]],
    ['url', ['https://b.example', 'https://a.example', 'b'], [1, 0, 2], [0, 1, 2]],
  ]

  for (const [type, values, ascending, descending] of orders) {
    it(`sorts values of the type ${type}, and those that are missing or do not fit last`, async () => {
      const workspace = await tasksWith('key', values)
      await define(workspace, 'key', type, type.endsWith('select') ? options : [])
      const query = `workspace=${workspace}&sort=`
      assert.deepEqual(await walk(`${query}custom_fields.key`), ascending)
      assert.deepEqual(await walk(`${query}-custom_fields.key`), descending)
    })
  }

  it('combines with another key, a filter and another field', async () => {
    const values = [1, 2, 1, 2, 3]
    const workspace = await tasksWith('points', values)
    await define(workspace, 'points', 'number')
    await define(workspace, 'size', 'number')
    const query = `workspace=${workspace}&sort=`
    assert.deepEqual(await walk(`${query}custom_fields.points,-title`, 2), [2, 0, 3, 1, 4])
    assert.deepEqual(await walk(`${query}-title,custom_fields.points`, 2), [4, 3, 2, 1, 0])
    assert.deepEqual(await walk(`${query}-custom_fields.points,custom_fields.size`, 2), [4, 1, 3, 0, 2])
    assert.deepEqual(await walk(`${query}custom_fields.points&filter=custom_fields.points<3`, 2), [0, 2, 1, 3])
  })

  it('a task that moves between pages hides no other, and a long text is its own position', async () => {
    const long = 'x'.repeat(1900)
    const values = [`${long}a`, `${long}b`, `${long}c`, `${long}d`]
    const workspace = await tasksWith('note', values)
    await define(workspace, 'note', 'text')
    const query = `/v1/tasks?workspace=${workspace}&sort=custom_fields.note`
    assert.deepEqual(await walk(query.slice('/v1/tasks?'.length), 1), [0, 1, 2, 3])
    const { data, next_cursor } = (await world.get(`${query}&limit=2`)).body
    await world.patch(`/v1/tasks/${data[0].id}`, { custom_fields: { note: 'z' } })
    const titles = async () =>
      (await world.get(`${query}&starting_after=${next_cursor}`)).body.data.map(({ title }: Shown) => title)
    assert.deepEqual(await titles(), ['2', '3', '0'])
    await world.patch(`/v1/tasks/${data[1].id}`, { custom_fields: { note: null } })
    assert.deepEqual(await titles(), ['2', '3', '0', '1'])
    const mismatch = await world.get(`${query.replace('sort=', 'sort=-')}&starting_after=${next_cursor}`)
    assertRefused(mismatch, 'cursor_filter_mismatch', 'starting_after')
  })

  it('without a workspace each task counts by the definition of its own', async () => {
    const first = await tasksWith('over', [2, 1])
    const second = await tasksWith('over', ['high', 'low', 'low'])
    await tasksWith('over', [0])
    await define(first, 'over', 'number')
    await define(second, 'over', 'select', options)
    const { data } = (await world.get('/v1/tasks?sort=custom_fields.over&filter=custom_fields.over:*')).body
    const values = data.map((task: { custom_fields: { over: unknown } }) => task.custom_fields.over)
    assert.deepEqual(values, ['low', 'low', 1, 2, 'high', 0])
  })

  it('a key that is not defined there is refused, also in a saved filter', async () => {
    const workspace = await tasksWith('points', [1])
    const elsewhere = await tasksWith('points', [1])
    const field = await define(elsewhere, 'nowhere_else', 'number')
    const sort = 'custom_fields.nowhere_else'
    assertRefused(await world.get(`/v1/tasks?workspace=${workspace}&sort=${sort}`), 'invalid_query_parameter', 'sort')
    assert.equal((await world.get(`/v1/tasks?sort=${sort}`)).status, 200)
    const saved = { name: 'By it', filter: 'priority = high', sort }
    assertRefused(await world.post('/v1/saved_filters', { workspace, ...saved }), 'invalid_request_body', 'sort')
    assert.equal((await world.make('/v1/saved_filters', { workspace: elsewhere, ...saved })).sort, sort)
    await world.delete(`/v1/custom_fields/${field.id}`)
    assertRefused(await world.get(`/v1/tasks?sort=${sort}`), 'invalid_query_parameter', 'sort')
    assertRefused(await world.get('/v1/tasks?sort=custom_fields.Bad'), 'invalid_query_parameter', 'sort')
  })

  it('a page of many tasks is read in batches', async () => {
    const count = 4500
    const workspace = await tasksWith(
      'points',
      Array.from({ length: count }, (_, i) => (i * 7919) % count),
    )
    await define(workspace, 'points', 'number')
    const query = `/v1/tasks?workspace=${workspace}&sort=-custom_fields.points&limit=100`
    const first = (await world.get(query)).body
    const second = (await world.get(`${query}&starting_after=${first.next_cursor}`)).body
    const points = [...first.data, ...second.data].map((task) => task.custom_fields.points)
    assert.deepEqual(
      points,
      Array.from({ length: 200 }, (_, i) => count - 1 - i),
    )
  })
})
