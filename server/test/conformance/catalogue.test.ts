/** The catalogue is the contract's: every operation in it has the facts that the contract's list gives it. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { errorClasses } from '../../src/api/errors.ts'
import { catalogue, operationIds } from '../../src/catalogue.ts'
import listed from './operations.json' with { type: 'json' }

type Facts = Omit<(typeof listed.operations)[number], 'scope' | 'paging'> & {
  scope: string | null
  paging: string | null
}

const facts = new Map((listed.operations as Facts[]).map((each) => [each.operation, each]))

it('has only operations of the contract, with its method, path, credits, scope, paging, fields and error class', () => {
  for (const { id, method, path, credits, scope, paging, fields, errorClass } of catalogue) {
    const built = { operation: id, method, path, credits, scope, paging, fields, error_class: errorClass }
    assert.deepEqual(built, facts.get(id), `${id} is not as the contract has it`)
  }
})

it('names no operation twice, and no method and path twice', () => {
  const routes = catalogue.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`)
  assert.equal(new Set(routes).size, catalogue.length)
  assert.equal(operationIds.size, catalogue.length)
})

it('gives every error class exactly the codes of the contract', () => {
  const sorted = (classes: Record<string, readonly string[]>) =>
    Object.fromEntries(Object.entries(classes).map(([name, codes]) => [name, [...codes].sort()]))
  assert.deepEqual(sorted(errorClasses), sorted(listed.error_codes))
  for (const operation of catalogue) assert.deepEqual([...operation.codes], [...errorClasses[operation.errorClass]])
})

it('is complete', (t) => {
  const missing = [...facts.keys()].filter((id) => !operationIds.has(id))
  t.diagnostic(`${operationIds.size} of ${facts.size} operations are built; still to come: ${missing.join(', ')}`)
  assert.equal(facts.size, 111)
})

it('is checked against a copy that is equal to the list beside the repository, where there is one', () => {
  const file = join(import.meta.dirname, '../../../../shared/spec/operations.json')
  if (!existsSync(file)) return
  const source = JSON.parse(readFileSync(file, 'utf8'))
  assert.deepEqual(listed.error_codes, source.error_codes)
  assert.deepEqual(
    listed.operations,
    source.operations.map((each: Facts) =>
      Object.fromEntries(Object.keys(facts.get(each.operation) ?? {}).map((name) => [name, each[name as keyof Facts]])),
    ),
  )
})

it('writes need a key and reads need none', () => {
  for (const operation of catalogue) assert.equal(operation.kind === 'write', operation.method !== 'GET', operation.id)
})
