import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sampleOf, schemaFault, valueFault } from './json-schema.ts'

const person = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 3 },
    age: { type: ['integer', 'null'], minimum: 0, maximum: 150 },
    tags: { type: 'array', items: { enum: ['a', 'b'] }, minItems: 1, maxItems: 2 },
  },
  required: ['name'],
  additionalProperties: false,
}

describe('a schema', () => {
  it('is accepted if all its keywords are supported', () => {
    assert.equal(schemaFault(person), null)
    assert.equal(schemaFault({ title: 'Anything', default: 1 }), null)
  })

  it('is refused with the path of an unsupported keyword', () => {
    const cases: [unknown, string][] = [
      ['string', 'The schema must be an object.'],
      [{ pattern: '(a+)+' }, 'pattern is not a supported keyword.'],
      [{ properties: { a: { $ref: '#' } } }, 'properties.a.$ref is not a supported keyword.'],
      [
        { items: { type: 'text' } },
        'items.type must be one of object, array, string, integer, number, boolean, null, or a list of them.',
      ],
      [{ maxLength: -1 }, 'maxLength must be a whole number from 0.'],
      [{ enum: [] }, 'enum must be a list that is not empty.'],
    ]
    for (const [schema, fault] of cases) assert.equal(schemaFault(schema), fault)
    let deep: object = {}
    for (let i = 0; i < 20; i++) deep = { items: deep }
    assert.match(schemaFault(deep) ?? '', /is too deep\.$/)
  })
})

describe('a value', () => {
  it('matches, or the path of the first fault is named', () => {
    const cases: [unknown, string | null][] = [
      [{ name: 'Ada', age: 36, tags: ['a', 'b'] }, null],
      [{ name: '😀😀😀', age: null }, null],
      [{ age: 1 }, 'name is missing.'],
      [{ name: 'Adam' }, 'name has a wrong length.'],
      [{ name: 'Ada', age: 1.5 }, 'age must be integer or null.'],
      [{ name: 'Ada', age: 151 }, 'age is out of bounds.'],
      [{ name: 'Ada', tags: [] }, 'tags has a wrong number of items.'],
      [{ name: 'Ada', tags: ['a', 'c'] }, 'tags[1] is not one of the allowed values.'],
      [{ name: 'Ada', more: 1 }, 'more is not an allowed field.'],
      [JSON.parse('{"name":"Ada","__proto__":1}'), '__proto__ is not an allowed field.'],
      [[], 'The value must be object.'],
    ]
    for (const [value, fault] of cases) assert.equal(valueFault(person, value), fault, JSON.stringify(value))
    assert.equal(valueFault({ const: { a: [1] } }, { a: [1] }), null)
    assert.equal(valueFault({ additionalProperties: { type: 'string' } }, { a: 1 }), 'a must be string.')
  })

  it('generated as a sample matches its schema', () => {
    for (const schema of [
      person,
      { type: 'array', minItems: 2, items: { type: 'integer', minimum: 3 } },
      { enum: ['x'] },
    ]) {
      assert.equal(valueFault(schema, sampleOf(schema, '')), null)
    }
    assert.equal(sampleOf({ enum: ['Read', 'Write'] }, 'Write it down'), 'Write')
  })
})
