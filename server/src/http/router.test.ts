import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { catalogue } from '../catalogue.ts'
import { Router } from './router.ts'

const router = new Router<string>()
for (const pattern of ['/', '/v1/tasks', '/v1/tasks/{id}', '/v1/tasks/{task}/comments/{id}', '/work/*', '/{file}']) {
  router.add('GET', pattern, pattern)
}
router.add('POST', '/v1/tasks/batch', 'batch')

describe('the router', () => {
  const find = (path: string, method = 'GET') => router.find(method, path)

  it('finds a pattern and its parameters', () => {
    assert.deepEqual(find('/'), { value: '/', params: {} })
    assert.deepEqual(find('/v1/tasks/tsk_1'), { value: '/v1/tasks/{id}', params: { id: 'tsk_1' } })
    assert.deepEqual(find('/v1/tasks/tsk_1/comments/cmt_1')?.params, { task: 'tsk_1', id: 'cmt_1' })
    assert.deepEqual(find('/icon.svg'), { value: '/{file}', params: { file: 'icon.svg' } })
    assert.equal(find('/work/a/b')?.value, '/work/*')
  })

  it('takes a fixed word of another method as a parameter', () => {
    assert.deepEqual(find('/v1/tasks/batch')?.params, { id: 'batch' })
    assert.equal(find('/v1/tasks/batch', 'POST')?.value, 'batch')
  })

  it('backtracks from a fixed segment without a match', () => {
    const one = new Router<string>()
    one.add('GET', '/a/b', 'fixed')
    one.add('GET', '/{x}/c', 'parameter')
    assert.deepEqual(one.find('GET', '/a/c'), { value: 'parameter', params: { x: 'a' } })
  })

  it('decodes escapes, and keeps an escaped slash inside its segment', () => {
    assert.equal(find('/v1/%74asks')?.value, '/v1/tasks')
    assert.deepEqual(find('/v1/tasks/a%2Fb%25')?.params, { id: 'a/b%' })
    for (const path of ['/v1/tasks/%zz', '/v1/tasks/%f', '/v1/tasks/%ff']) assert.equal(find(path), null, path)
  })

  it('finds nothing for another case, a trailing slash, a longer path or an unknown method', () => {
    for (const path of ['/V1/tasks', '/v1/tasks/', '/v1/tasks/x/y', '/v1/none', '', '*', 'v1/tasks']) {
      assert.equal(find(path), null, path)
    }
    assert.equal(find('/v1/tasks', 'DELETE'), null)
  })

  it('ends a path at a fragment', () => {
    assert.deepEqual(find('/v1/tasks/tsk_1#x')?.params, { id: 'tsk_1' })
  })

  it('finds every operation of the catalogue by its own path', () => {
    const all = new Router<string>()
    for (const { method, path, id } of catalogue) all.add(method, path, id)
    for (const { method, path, id } of catalogue) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
      const found = all.find(method, path.replaceAll(/\{(\w+)\}/g, ':$1'))
      const params = Object.fromEntries(names.map((name) => [name, `:${name}`]))
      assert.deepEqual(found, { value: id, params }, `${method} ${path}`)
    }
  })
})
