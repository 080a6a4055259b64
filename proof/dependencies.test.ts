import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dependencies, isInOrder, isPermissive, outdated } from './dependencies.ts'

test('every package that is installed has a permissive licence, or there is a reason why it need not', () => {
  const others = dependencies().filter((each) => !isInOrder(each))
  assert.deepEqual(
    others.map(({ name, version, licence }) => `${name} ${version} ${licence}`),
    [],
  )
})

test('a package that runs with the product is permissive without exception', () => {
  const others = dependencies().filter(({ runtime, licence }) => runtime && !isPermissive(licence))
  assert.deepEqual(others, [])
})

test('a licence that is not permissive is noticed', () => {
  assert.equal(isPermissive('GPL-3.0-only'), false)
  assert.equal(isPermissive('(GPL-3.0-only OR MIT)'), true)
  assert.equal(isPermissive('(MIT AND GPL-3.0-only)'), false)
  assert.equal(isPermissive('unknown'), false)
})

test('the list of dependencies and the bill of materials are those of the lock file', () => {
  assert.deepEqual(outdated(false), [])
})
