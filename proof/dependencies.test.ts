import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dependencies, isAcceptable, isPageCurrent, isPermissive, sbom } from './dependencies.ts'

interface Component {
  readonly name: string
  readonly version: string
  readonly licenses: readonly [{ readonly expression: string }]
}

test('every installed package has a permissive licence or a stated reason', () => {
  const others = dependencies().filter((each) => !isAcceptable(each))
  assert.deepEqual(
    others.map(({ name, version, licence }) => `${name} ${version} ${licence}`),
    [],
  )
})

test('every package installed with the product has a permissive licence', () => {
  const others = dependencies().filter(({ runtime, licence }) => runtime && !isPermissive(licence))
  assert.deepEqual(others, [])
})

test('other licences are not taken for permissive', () => {
  assert.equal(isPermissive('GPL-3.0-only'), false)
  assert.equal(isPermissive('(GPL-3.0-only OR MIT)'), true)
  assert.equal(isPermissive('(MIT AND GPL-3.0-only)'), false)
  assert.equal(isPermissive('unknown'), false)
})

test('docs/dependencies.md agrees with the lock file', () => {
  assert.ok(isPageCurrent(), 'Run `node proof/dependencies.ts`.')
})

test('the bill of materials lists every package with its licence', () => {
  const all = dependencies()
  const { bomFormat, components } = JSON.parse(sbom(all))
  assert.equal(bomFormat, 'CycloneDX')
  assert.deepEqual(
    (components as Component[]).map(({ name, version, licenses }) => [name, version, licenses[0].expression]),
    all.map(({ name, version, licence }) => [name, version, licence]),
  )
})
