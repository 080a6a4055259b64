/** What was read, changed before and after the answers of writes and by live events. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { QueryClient } from '@tanstack/react-query'
import { absorb, apply, patch, remove, shown } from '../src/data/cache.ts'
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

describe('changes to what was read', () => {
  it('reach an object by itself and in lists of every form, of its mode and kind only', () => {
    const client = filled()
    apply(client, 'live', [patch('task', 'a', { title: 'Other' })])
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

  it('are taken back exactly, whichever they were', () => {
    const client = filled()
    const before = all(client)
    const rollback = apply(client, 'live', [patch('task', 'a', { title: 'Other' }), remove('task', 'b')])
    assert.equal(shown(client, 'live', 'task', 'b'), undefined)
    rollback()
    assert.equal(all(client), before)
  })

  it('take over what the server says, but never an older revision and never fields that were not asked for', () => {
    const client = filled()
    client.setQueryData(keys.list('live', 'task', { fields: 1 }), [{ id: 'a', title: 'First' }])
    absorb(client, 'live', task('a', 'Newer', 3))
    absorb(client, 'live', task('a', 'Older', 2))
    assert.deepEqual(client.getQueryData(keys.one('live', 'task', 'a')), task('a', 'Newer', 3))
    const newest = { ...task('a', 'Newest', 4), status: 'done' }
    absorb(client, 'live', newest)
    assert.deepEqual(client.getQueryData(keys.list('live', 'task', { fields: 1 })), [{ id: 'a', title: 'Newest' }])
  })

  it('leave what they do not change the very same value', () => {
    const client = filled()
    const list = client.getQueryData(keys.list('live', 'task', { all: 1 }))
    apply(client, 'live', [patch('task', 'nobody', { title: 'x' })])
    absorb(client, 'live', task('nobody', 'x'))
    assert.equal(client.getQueryData(keys.list('live', 'task', { all: 1 })), list)
  })
})

describe('addresses', () => {
  it('keep test data along the way, before what stands behind #', () => {
    assert.equal(withMode('/work', 'live'), '/work')
    assert.equal(withMode('/work', 'test'), '/work?mode=test')
    assert.equal(withMode('/work?a=1#x', 'test'), '/work?a=1&mode=test#x')
    assert.equal(withMode('/work?mode=live', 'test'), '/work?mode=live')
  })

  it('lead after signing in to pages of the console only', () => {
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
