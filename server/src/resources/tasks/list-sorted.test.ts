import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertRefused } from '../../../test/conformance/answers.ts'
import { onEveryWorld } from '../../../test/world.ts'
import { isPublicId } from '../../lib/ids.ts'
import { insertTasks, workspaceOf } from './rows.test.ts'

type Shown = { id: string; title: string }

onEveryWorld('tasks.list with sort', (world) => {
  /** The ids of all pages from the start of a list. */
  async function walk(query: string, limit: number): Promise<string[]> {
    const seen: string[] = []
    let cursor = ''
    for (let page = 0; page < 200; page++) {
      const { status, body, text } = await world.get(`/v1/tasks?${query}&limit=${limit}${cursor}`)
      assert.equal(status, 200, text)
      seen.push(...body.data.map((task: Shown) => task.id))
      if (!body.has_more) return seen
      assert.ok(isPublicId(body.next_cursor), body.next_cursor)
      cursor = `&starting_after=${body.next_cursor}`
    }
    throw new Error('the list does not end')
  }

  function setTitle(id: string, title: string) {
    return world.patch(`/v1/tasks/${id}`, { title })
  }

  it('an invalid sort is refused before an unknown workspace', async () => {
    for (const sort of ['nonsense', 'title,title', 'title,created,updated']) {
      const reply = await world.get(`/v1/tasks?workspace=wsp_01J00000000000000000000000&sort=${sort}`)
      assertRefused(reply, 'invalid_query_parameter', 'sort')
    }
  })

  it('every order returns each task once in both directions', async () => {
    const workspace = await workspaceOf(world)
    const rows = await insertTasks(
      world,
      workspace,
      Array.from({ length: 23 }, (_, i) => ({
        title: ['Z', 'a', 'é', '🙂', 'Ａ', 'x'.repeat(300 + (i % 3)), 'ü'.repeat(200)][i % 7] as string,
        created: 1_785_000_000_000 + ((i * 7) % 5),
        updated: 1_785_000_000_000 + ((i * 11) % 6),
        due_at: i % 3 === 0 ? null : 1_785_000_000_000 + ((i * 5) % 4),
        completed_at: i % 2 === 0 ? null : 1_785_000_000_000 + i,
        priority_rank: i % 5,
        position: ((i * 13) % 7) / 3,
      })),
    )
    const sorts = ['created', 'updated', 'due_at', 'completed_at', 'priority', 'title', 'position']
    for (const first of sorts) {
      for (const sort of [first, `-${first}`, `${first},-title`, `-due_at,${first}`]) {
        if (/(\w+),-\1$|^-(\w+),\2$/.test(sort)) continue
        const query = `workspace=${workspace.id}&sort=${sort}`
        const whole = await walk(query, 100)
        assert.equal(new Set(whole).size, rows.length)
        assert.deepEqual(await walk(query, 4), whole, sort)
        const last = whole.at(-1) as string
        const before = await backFrom(query, last)
        assert.deepEqual([...before, last], whole, sort)
      }
    }
  })

  /** The ids of all pages before a task, read backwards. */
  async function backFrom(query: string, id: string): Promise<string[]> {
    const seen: string[] = []
    let cursor = id
    for (;;) {
      const { body } = await world.get(`/v1/tasks?${query}&limit=5&ending_before=${cursor}`)
      seen.unshift(...body.data.map((task: Shown) => task.id))
      if (!body.has_more) return seen
      cursor = body.next_cursor
    }
  }

  it('nulls are last in both directions, and ties are ordered by id in the direction of the last key', async () => {
    const workspace = await workspaceOf(world)
    const rows = await insertTasks(world, workspace, [
      { due_at: 2000 },
      { due_at: null },
      { due_at: 1000 },
      { due_at: 2000 },
      { due_at: null },
    ])
    const order = async (sort: string) =>
      (await walk(`workspace=${workspace.id}&sort=${sort}`, 2)).map((id) => rows.findIndex((row) => row.id === id))
    assert.deepEqual(await order('due_at'), [2, 0, 3, 1, 4])
    assert.deepEqual(await order('-due_at'), [3, 0, 2, 4, 1])
    assert.deepEqual(await order('due_at,-title'), [2, 3, 0, 4, 1])
  })

  it('a task that moves between pages does not hide another', async () => {
    const workspace = await workspaceOf(world)
    const rows = await insertTasks(
      world,
      workspace,
      Array.from({ length: 6 }, (_, i) => ({ title: `t${i}` })),
    )
    const first = (await world.get(`/v1/tasks?workspace=${workspace.id}&sort=title&limit=2`)).body
    await setTitle(rows[1]!.id, 't9')
    const rest = await walk(`workspace=${workspace.id}&sort=title&starting_after=${first.next_cursor}`, 100)
    assert.deepEqual(
      rest,
      [2, 3, 4, 5, 1].map((i) => rows[i]!.id),
    )
  })

  it('a plain id as cursor continues from the current values of its row', async () => {
    const workspace = await workspaceOf(world)
    const rows = await insertTasks(world, workspace, [{ title: 'b' }, { title: 'a' }, { title: 'c' }])
    const query = `workspace=${workspace.id}&sort=title&starting_after=${rows[0]!.id}`
    assert.deepEqual(await walk(query, 100), [rows[2]!.id])
    await setTitle(rows[0]!.id, 'A')
    assert.deepEqual(await walk(query, 100), [rows[1]!.id, rows[2]!.id])
  })

  for (const sort of ['title', '-title', 'priority,title', '-priority,-title']) {
    it(`no task is skipped if a long title changes between pages sorted by ${sort}`, async () => {
      const workspace = await workspaceOf(world)
      const long = 'Long title 工作 '.repeat(20)
      const rows = await insertTasks(
        world,
        workspace,
        ['A', `${long}1`, `${long}2`, `${long}3`, 'Z'].map((title) => ({ title })),
      )
      const query = `workspace=${workspace.id}&sort=${sort}`
      const whole = await walk(query, 100)
      for (const param of ['starting_after', 'ending_before']) {
        const start = param === 'starting_after' ? '' : `&ending_before=${whole.at(-1)}`
        const page = (await world.get(`/v1/tasks?${query}&limit=2${start}`)).body
        const shown = page.data.map((task: Shown) => task.id)
        const moved = param === 'starting_after' ? shown.at(-1) : shown[0]
        const title = rows.find((row) => row.id === moved)!.title
        const end = param === 'starting_after' ? undefined : whole.at(-1)
        const expected = whole.filter((id) => !shown.includes(id) && id !== end)
        const unchanged = (await world.get(`/v1/tasks?${query}&${param}=${page.next_cursor}`)).body.data
        assert.deepEqual(
          unchanged.map((task: Shown) => task.id),
          expected,
        )
        await setTitle(moved, 'Moved')
        const after = (await world.get(`/v1/tasks?${query}&${param}=${page.next_cursor}`)).body.data
        const found = after.map((task: Shown) => task.id)
        assert.deepEqual(
          expected.filter((id) => !found.includes(id)),
          [],
        )
        await setTitle(moved, title)
      }
    })
  }

  it('a cursor of another sort is a mismatch, a forged one is invalid', async () => {
    const workspace = await workspaceOf(world)
    await insertTasks(world, workspace, [{}, {}, {}])
    const { next_cursor } = (await world.get(`/v1/tasks?sort=title,-created&limit=1`)).body
    const refused = async (query: string, key = world.acme.key) => {
      const { status, body } = await world.get(`/v1/tasks?${query}`, { key })
      return status === 200 ? 200 : body.error.code
    }
    assert.equal(await refused(`sort=title,%20-created&starting_after=${next_cursor}`), 200)
    assert.equal(await refused(`sort=title&starting_after=${next_cursor}`), 'cursor_filter_mismatch')
    assert.equal(await refused(`starting_after=${next_cursor}`), 'cursor_filter_mismatch')
    const forged = `${next_cursor.slice(0, -1)}${next_cursor.endsWith('A') ? 'Q' : 'A'}`
    assert.equal(await refused(`sort=title,-created&starting_after=${forged}`), 'cursor_invalid')
    assert.equal(await refused('sort=title,-created&starting_after=cur_x'), 'cursor_invalid')
    assert.equal(
      await refused(`sort=title,-created&starting_after=${next_cursor}`, world.acme.testKey),
      'cursor_invalid',
    )
    assert.equal(await refused(`sort=title,-created&starting_after=${next_cursor}`, world.globex.key), 'cursor_invalid')
  })

  it('a sorted list with a filter is paged in the same order', async () => {
    const workspace = await workspaceOf(world)
    const rows = await insertTasks(
      world,
      workspace,
      Array.from({ length: 9 }, (_, i) => ({ priority_rank: i % 3, status: i % 2 ? 'done' : 'todo' })),
    )
    const found = await walk(`workspace=${workspace.id}&sort=-priority&filter=status=todo`, 2)
    assert.deepEqual(
      found,
      [8, 2, 4, 6, 0].map((i) => rows[i]!.id),
    )
  })

  it('paging during writes returns every unchanged task exactly once', async () => {
    const workspace = await workspaceOf(world)
    const rows = await insertTasks(
      world,
      workspace,
      Array.from({ length: 30 }, (_, i) => ({ updated: 1_785_000_000_000 + (i % 4) })),
    )
    const seen: string[] = []
    let cursor = ''
    for (;;) {
      const { body } = await world.get(`/v1/tasks?workspace=${workspace.id}&sort=-updated&limit=3${cursor}`)
      seen.push(...body.data.map((task: Shown) => task.id))
      if (!body.has_more) break
      cursor = `&starting_after=${body.next_cursor}`
      await insertTasks(world, workspace, [{ key: `X-${seen.length}`, updated: 1_785_000_000_000 }])
    }
    assert.deepEqual(
      rows.map((row) => seen.filter((id) => id === row.id).length),
      rows.map(() => 1),
    )
  })
})
