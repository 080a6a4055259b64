/** The faults that an answer lists for a body that does not fit its schema, however many there are. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { catalogue } from '../../catalogue.ts'
import { Refusal } from '../declare/errors.ts'
import { Labels } from '../declare/shapes.ts'
import { limits } from '../limits.ts'
import { truncateForErrors } from './body-faults.ts'
import { checkShape } from './validate.ts'

const Draft = Type.Object(
  {
    title: Type.String(),
    labels: Type.Optional(Labels),
    data: Type.Optional(Type.Array(Type.Object({ n: Type.Integer() }), { maxItems: 300 })),
  },
  { additionalProperties: false },
)

function faultsOf(value: unknown): { param: string; message: string }[] {
  try {
    checkShape(Draft, value)
  } catch (error) {
    assert.ok(error instanceof Refusal)
    return [...(error.options.details ?? [])]
  }
  return []
}

test('all faults up to a hundred are listed, unknown fields by their names', () => {
  const unknown = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`u${i}`, i]))
  const params = faultsOf({ labels: [1, 'a', 2], ...unknown }).map(({ param }) => param)
  assert.deepEqual(params.sort(), ['labels[0]', 'labels[2]', 'title', ...Object.keys(unknown)].sort())
  const many = faultsOf({ title: 'x', data: Array.from({ length: 300 }, () => ({ n: 'x' })) })
  assert.deepEqual(
    many.map(({ param }) => param),
    Array.from({ length: limits.faults_max }, (_, i) => `data[${i}].n`),
  )
})

test('faults are searched in a copy cut just above the bounds of the schema', () => {
  const value = {
    ...Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`u${i}`, i])),
    title: 'x',
    labels: Array.from({ length: 100_000 }, () => 'same'),
    data: [{ n: 1, __proto__: 1 }],
  }
  const cut = truncateForErrors(Draft, value) as typeof value
  assert.deepEqual([cut.labels.length, cut.title, cut.data], [301, 'x', value.data])
  assert.equal(Object.keys(cut).length, 301 + 3)
  const messages = faultsOf({ title: 'x', labels: value.labels }).map(({ message }) => message)
  assert.deepEqual(messages, [`The field \`labels\` must hold at most ${limits.labels_max}.`])
})

for (const { id, body } of catalogue) {
  if (body === null) continue
  test(`every list in the body of ${id} is bounded`, () => {
    const unbounded: string[] = []
    const findUnbounded = (schema: object, path: string): void => {
      if ('type' in schema && schema.type === 'array' && !('maxItems' in schema)) unbounded.push(path)
      for (const [name, value] of Object.entries(schema)) {
        if (typeof value === 'object' && value !== null) findUnbounded(value, `${path}/${name}`)
      }
    }
    findUnbounded(body, '')
    assert.deepEqual(unbounded, [])
  })
}
