/** The query cache: optimistic changes, their rollback, and merging of server responses and live events. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { QueryClient } from '@tanstack/react-query'
import { applyChanges, findCached, mergeObject, patch, remove } from '../src/data/cache.ts'
import { keys } from '../src/data/keys.ts'
import { withMode } from '../src/data/mode.ts'
import { nextPath } from '../src/pages/sign-in/next.ts'

const task = (id: string, title: string, revision = 1) => ({ id, object: 'task', title, status: 'todo', revision })

function filled() {
  const client = new QueryClient()
  const [a, b] = [task('a', 'First'), task('b', 'Second')]
  client.setQueryData(keys.one('live', 'task', 'a'), a)
  client.setQueryData(keys.list('live', 'task', { all: 1 }), [a, b])
  client.setQueryData(keys.list('live', 'task', { page: 1 }), { data: [a, b], has_more: false })
  client.setQueryData(keys.list('live', 'task', { pages: 1 }), {
    pages: [{ data: [b] }, { data: [a] }],
    pageParams: [],
  })
  client.setQueryData(keys.list('test', 'task', { all: 1 }), [a])
  client.setQueryData(keys.list('live', 'project', { all: 1 }), [{ ...a, object: 'project' }])
  return client
}

const all = (client: QueryClient) => JSON.stringify(client.getQueriesData({}))

describe('changes to cached data', () => {
  it('reach a single object and lists of every form, of its mode and kind only', () => {
    const client = filled()
    applyChanges(client, 'live', [patch('task', 'a', { title: 'Other' })])
    const changed = { ...task('a', 'First'), title: 'Other' }
    const b = task('b', 'Second')
    assert.deepEqual(client.getQueryData(keys.one('live', 'task', 'a')), changed)
    assert.deepEqual(client.getQueryData(keys.list('live', 'task', { all: 1 })), [changed, b])
    assert.deepEqual(client.getQueryData(keys.list('live', 'task', { page: 1 })), {
      data: [changed, b],
      has_more: false,
    })
    assert.deepEqual(client.getQueryData(keys.list('live', 'task', { pages: 1 })), {
      pages: [{ data: [b] }, { data: [changed] }],
      pageParams: [],
    })
    assert.deepEqual(client.getQueryData(keys.list('test', 'task', { all: 1 })), [task('a', 'First')])
    assert.deepEqual(client.getQueryData(keys.list('live', 'project', { all: 1 })), [
      { ...task('a', 'First'), object: 'project' },
    ])
  })

  it('roll back exactly', () => {
    const client = filled()
    const before = all(client)
    const rollback = applyChanges(client, 'live', [patch('task', 'a', { title: 'Other' }), remove('task', 'b')])
    assert.equal(findCached(client, 'live', 'task', 'b'), undefined)
    rollback()
    assert.equal(all(client), before)
  })

  it('take newer revisions from the server, and only the fields that a list requested', () => {
    const client = filled()
    client.setQueryData(keys.list('live', 'task', { fields: 1 }), [{ id: 'a', title: 'First' }])
    mergeObject(client, 'live', task('a', 'Newer', 3))
    mergeObject(client, 'live', task('a', 'Older', 2))
    assert.deepEqual(client.getQueryData(keys.one('live', 'task', 'a')), task('a', 'Newer', 3))
    const newest = { ...task('a', 'Newest', 4), status: 'done' }
    mergeObject(client, 'live', newest)
    assert.deepEqual(client.getQueryData(keys.list('live', 'task', { fields: 1 })), [{ id: 'a', title: 'Newest' }])
  })

  it('keep the identity of values that they do not change', () => {
    const client = filled()
    const list = client.getQueryData(keys.list('live', 'task', { all: 1 }))
    applyChanges(client, 'live', [patch('task', 'unknown', { title: 'x' })])
    mergeObject(client, 'live', task('unknown', 'x'))
    assert.equal(client.getQueryData(keys.list('live', 'task', { all: 1 })), list)
  })
})

describe('URLs', () => {
  it('keep the test mode, before the fragment', () => {
    assert.equal(withMode('/work', 'live'), '/work')
    assert.equal(withMode('/work', 'test'), '/work?mode=test')
    assert.equal(withMode('/work?a=1#x', 'test'), '/work?a=1&mode=test#x')
    assert.equal(withMode('/work?mode=live', 'test'), '/work?mode=live')
  })

  it('lead only to pages of the console after signing in', () => {
    assert.equal(nextPath('?next=/work/tasks%3Fa%3D1'), '/work/tasks?a=1')
    for (const next of [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
      'javascript:alert(1)',
      '',
      '\t//x',
      '/\t/evil.example',
    ]) {
      assert.equal(nextPath(`?next=${encodeURIComponent(next)}`), '/', next)
    }
  })
})
