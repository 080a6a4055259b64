/**
 * The catalogue against the contract's facts (docs/contract/operations.json): the contract's operations are all built and
 * none of their facts differ. Anything else is an extension and declares it (contract/17#declaration).
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import facts from '../../../docs/contract/operations.json' with { type: 'json' }
import { errorClasses } from '../../src/api/declare/errors.ts'
import type { Operation } from '../../src/api/declare/operation.ts'
import { catalogue, operationIds } from '../../src/catalogue.ts'

const built = new Map(catalogue.map((operation) => [operation.id, operation]))
const named = new Set(facts.operations.map(({ operation }) => operation))

it('builds every operation of the contract', () => {
  const missing = facts.operations.filter(({ operation }) => !built.has(operation))
  assert.deepEqual(
    missing.map(({ operation, method, path }) => `${operation} (${method} ${path})`),
    [],
    'docs/contract/operations.json names operations that the catalogue lacks. Add each to resources/<noun>/index.ts.',
  )
  assert.equal(facts.operations.length, 111)
  assert.equal(facts.count, 111)
})

it('gives each operation of the contract the method, path, credits, scope, paging and error class of the contract', () => {
  for (const fact of facts.operations) {
    const { request: _request, named_in_document: _named, ...expected } = fact
    const operation = built.get(fact.operation)
    assert.ok(operation, fact.operation)
    assert.deepEqual(
      factsOf(operation),
      expected,
      `${fact.operation} differs from docs/contract/operations.json. The contract’s facts stay: change the declaration.`,
    )
  }
})

it('takes every parameter and body field that the contract gives an operation, and requires no other', () => {
  for (const { operation: id, request } of facts.operations) {
    const operation = built.get(id)
    assert.ok(operation, id)
    const { place, names, required } = readRequest(request)
    const declared = place === 'body' ? (operation.body?.properties ?? {}) : operation.query
    for (const name of names) {
      assert.ok(name in declared, `${id} lacks the contract’s ${place} field \`${name}\`. Add it to the declaration.`)
    }
    assert.deepEqual(
      requiredOf(operation),
      required,
      `${id} requires other fields than the contract. A field that an extension adds is optional (contract/17#rules-for-extensions).`,
    )
  }
})

it('declares every other operation an extension, and no operation of the contract', (t) => {
  const extensions = catalogue.filter(({ extension }) => extension)
  const undeclared = catalogue.filter(({ id, extension }) => extension === named.has(id)).map(({ id }) => id)
  assert.deepEqual(
    undeclared,
    [],
    'An operation outside docs/contract/operations.json declares `extension: true`; one inside it does not.',
  )
  const list = extensions.map(({ id, method, path }) => `${id} (${method} ${path})`)
  t.diagnostic(`${list.length} operations beyond the contract${list.map((each) => `\n  ${each}`).join('')}`)
})

it('names no operation twice, and no method and path twice', () => {
  const routes = catalogue.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`)
  assert.deepEqual(repeated(routes), [], 'Two operations share a method and path. Change one path.')
  assert.deepEqual(repeated(catalogue.map(({ id }) => id)), [], 'Two operations share an id. Rename one.')
  assert.equal(operationIds.size, catalogue.length)
})

it('gives every error class exactly the codes of the contract', () => {
  const sorted = (classes: Record<string, readonly string[]>) =>
    Object.fromEntries(Object.entries(classes).map(([name, codes]) => [name, [...codes].sort()]))
  assert.deepEqual(
    sorted(errorClasses),
    sorted(facts.error_codes),
    'api/declare/errors.ts and docs/contract/operations.json disagree on the codes of an error class (contract/02#code-classes).',
  )
  for (const operation of catalogue) assert.deepEqual([...operation.codes], [...errorClasses[operation.errorClass]])
})

it('makes every POST, PATCH and DELETE a write and every GET a read', () => {
  for (const operation of catalogue) assert.equal(operation.kind === 'write', operation.method !== 'GET', operation.id)
})

/** The facts that the contract states of an operation, as the catalogue has them. */
function factsOf({ id, method, path, credits, scope, kind, paging, fields, errorClass }: Operation) {
  const idempotent = kind === 'write'
  return { operation: id, method, path, credits, scope, idempotent, error_class: errorClass, paging, fields }
}

/** Reads `body: workspace!, name`: where the fields are sent, their names, and those marked `!` as required. */
function readRequest(request: string) {
  const [place = 'query', list = ''] = request.split(': ')
  const fields = list.split(', ').filter((name) => name !== '')
  const name = (field: string) => field.replace(/!$/, '').replace(/\[\]$/, '')
  const required = fields.filter((field) => field.endsWith('!')).map(name)
  return { place, names: fields.map(name), required: required.sort() }
}

function requiredOf({ query, body }: Operation): string[] {
  const parameters = Object.entries(query).flatMap(([name, { required }]) => (required ? [name] : []))
  return [...parameters, ...(body?.required ?? [])].sort()
}

function repeated(values: readonly string[]): string[] {
  return values.filter((value, index) => values.indexOf(value) !== index)
}
