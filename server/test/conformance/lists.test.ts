/**
 * Lists: pages and cursors, for every list operation (contract/06). `atrium conform` tries page sizes, field selection, changed
 * and unknown cursors and unknown parameters of each (server/test/conform).
 */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { catalogue } from '../../src/catalogue.ts'
import { newId } from '../../src/lib/ids.ts'
import { makers } from '../makers.ts'
import { populate, type Things } from '../things.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { assertRefused, comparable } from './answers.ts'
import { List } from './list.ts'

// Search results are in an order of their own, and only of what a query matches (resources/search/search.test.ts).
const lists = catalogue.filter((operation) => operation.kind === 'list' && operation.id !== 'search.list')
const count = 22

/** Whether items appear by other means than a maker: logs of writes, items of an imported board. */
function isDerived(object: string): boolean {
  return makers[object] === undefined || object === 'board_item'
}

/** The id that names an item in paths. */
function pathIdOf(item: { id: string }): string {
  const { object, user } = item as { object?: string; user?: string }
  return object === 'board_member' || object === 'team_member' ? (user as string) : item.id
}

const idsOf = (data: readonly { id: string }[]) => data.map((item) => item.id)

onEveryWorld('lists', (world) => {
  const acme = openFirst(() => populate(world))
  let strangers: Things[]
  const opened = new Map<string, List>()
  before(async () => {
    strangers = [await populate(world, world.globex), await populate(world, world.acme, 'test')]
    for (const operation of lists) {
      const list = new List(operation, acme)
      await list.open()
      opened.set(operation.id, list)
      if (isDerived(operation.lists?.object as string) && opened.size > 1) continue
      for (let n = (await list.page({ limit: 100 })).data.length; n < count; n++) await list.add()
    }
  })

  for (const operation of lists) {
    const backwards = operation.paging === 'id'
    const param = operation.paging === 'opaque' ? 'cursor' : 'starting_after'
    const list = () => opened.get(operation.id) as List

    describe(operation.id, () => {
      it('shows 20 items, newest first, in the list envelope', async () => {
        const page = await list().page()
        assert.deepEqual(Object.keys(page), ['object', 'url', 'has_more', 'next_cursor', 'data'])
        assert.deepEqual([page.object, page.url, page.has_more], ['list', list().path, true])
        assert.equal(page.data.length, 20)
        const ids = idsOf(page.data)
        if (operation.id !== 'board_items.list') assert.deepEqual(ids, [...ids].sort().reverse())
        if (param === 'cursor') assert.match(page.next_cursor, /^[A-Za-z0-9_-]{1,1024}$/)
        else assert.equal(page.next_cursor, ids.at(-1))
      })

      it('paged by cursor shows every item once', async () => {
        const whole = await list().whole()
        const limits = whole.length > 100 ? [99] : [5, whole.length - 1, whole.length]
        for (const limit of limits) {
          const pages = await list().walk(param, limit)
          assert.equal(pages.length, Math.ceil(whole.length / limit))
          assert.deepEqual(
            pages.flatMap((page) => page.data),
            whole,
          )
        }
      })

      it('paged during writes shows every existing item once', async () => {
        const before = idsOf(await list().whole())
        let added = 0
        const pages = await list().walk(param, 9, undefined, async () => {
          if (added++ < 3) await list().add()
        })
        assert.deepEqual(
          pages.flatMap((page) => idsOf(page.data)),
          before,
        )
      })

      if (backwards) {
        it('paged backwards shows the same items; has_more refers to that direction', async () => {
          const whole = await list().whole()
          const pages = await list().walk('ending_before', 7, whole.at(-1)?.id)
          assert.equal(pages.length, Math.ceil((whole.length - 1) / 7))
          for (const page of pages) if (page.has_more) assert.equal(page.next_cursor, page.data[0].id)
          assert.deepEqual(
            pages.reverse().flatMap((page) => page.data),
            whole.slice(0, -1),
          )
          assert.deepEqual((await list().page({ ending_before: whole[0]?.id as string })).data, [])
          const oldest = await list().page({ starting_after: whole.at(-1)?.id as string })
          assert.deepEqual([oldest.data, oldest.has_more, oldest.next_cursor], [[], false, null])
        })
      }

      it('refuses the cursors of other tenants with the same bytes as unknown ones', async () => {
        const { prefix } = operation.lists as { prefix: string }
        const wrong = [newId(prefix, world.clock.now())]
        for (const stranger of strangers) {
          const theirs = new List(operation, stranger)
          await theirs.open()
          const page = await theirs.page({ limit: 1 })
          const [item] = page.data
          // Members, teams with their people and the organization are common to both realms.
          const shared =
            stranger.organization === world.acme &&
            ['member', 'team', 'team_member'].includes(String(operation.lists?.object))
          if (item !== undefined && !shared) wrong.push(param === 'cursor' ? (page.next_cursor ?? 'x') : item.id)
        }
        for (const each of param === 'cursor'
          ? ['cursor']
          : backwards
            ? ['starting_after', 'ending_before']
            : ['starting_after']) {
          const expected = await list().ask({ [each]: newId(prefix, 1) })
          assertRefused(expected, 'cursor_invalid', each)
          for (const cursor of wrong) {
            const reply = await list().ask({ [each]: cursor })
            assert.deepEqual(comparable(reply), comparable(expected), cursor)
          }
        }
      })

      const remove = catalogue.find(
        (each) => each.method === 'DELETE' && each.target?.object === operation.lists?.object,
      )
      if (remove !== undefined && param !== 'cursor') {
        it('accepts the cursor of a deleted object', async () => {
          const whole = await list().whole()
          const at = 3
          const { id } = whole[at] as { id: string }
          const parent = acme.ids[remove.parent?.object as string] as string
          const names =
            remove.parent === null
              ? [pathIdOf(whole[at] as { id: string })]
              : [parent, pathIdOf(whole[at] as { id: string })]
          const path = remove.path.replaceAll(/\{\w+\}/g, () => names.shift() as string)
          const removed = await acme.send('DELETE', path)
          assert.equal(removed.status, 200, removed.text)
          assert.deepEqual((await list().page({ starting_after: id, limit: 100 })).data, whole.slice(at + 1))
          if (backwards) assert.deepEqual((await list().page({ ending_before: id })).data, whole.slice(0, at))
          const left = await list().whole()
          assert.deepEqual(
            left,
            whole.filter((item) => item.id !== id),
          )
        })
      }

      if (operation.query.workspace !== undefined && operation.parent === null) {
        it('refuses a cursor of another workspace than the filter', async () => {
          const workspace = await acme.fresh('workspace')
          const [first] = await list().whole()
          const cursor = operation.paging === 'opaque' ? (await list().page({ limit: 1 })).next_cursor : first?.id
          for (const each of backwards ? ['starting_after', 'ending_before'] : [param]) {
            const reply = await list().ask({ workspace, [each]: cursor as string })
            assertRefused(reply, 'cursor_filter_mismatch', each)
          }
          const own = (first as unknown as { workspace: string }).workspace
          assert.equal((await list().ask({ workspace: own, [param]: cursor as string })).status, 200)
        })
      }

      if (operation.parent !== null && param !== 'cursor') {
        it('refuses a cursor of another parent', async () => {
          const [first] = await list().whole()
          const parent = operation.parent?.object as string
          const elsewhere = new List(operation, acme)
          elsewhere.path = list().path.replace(acme.id(parent), await acme.fresh(parent))
          const reply = await elsewhere.ask({ starting_after: first?.id as string })
          assertRefused(reply, 'cursor_filter_mismatch', 'starting_after')
        })
      }
    })
  }
})
