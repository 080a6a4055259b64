/** The guarantees of field selection (contract/06#field-selection). */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Operation } from '../../src/api/declare/operation.ts'
import { assertRefused } from './answers.ts'
import type { List } from './list.ts'

/** Adds its tests to the calling suite, which opens the list before they run. */
export function itSelectsFields(operation: Operation, list: () => List): void {
  it('shows exactly the selected fields', async () => {
    const names = Object.keys(operation.lists?.schema.properties ?? {})
    const whole = await list().whole()
    const asked = [names, [...names].reverse(), names.slice(2, 5), ...names.slice(-2).map((name) => [name])]
    for (const fields of asked) {
      const page = await list().page({ limit: 100, fields: fields.join(',') })
      assert.equal(page.fields_selected, true)
      const expected = whole.map((item) => Object.fromEntries(fields.map((name) => [name, item[name as 'id']])))
      assert.deepEqual(page.data, expected)
      assert.equal(page.data[0] && Object.keys(page.data[0]).length, fields.length)
    }
    const page = await list().page({ limit: 2, fields: names[1] as string })
    assert.equal(page.next_cursor, whole[1]?.id)
  })

  it('refuses unknown and repeated fields and more than 50', async () => {
    const many = Array.from({ length: 51 }, (_, i) => `f${i}`).join()
    for (const fields of [
      'nope',
      'id,nope',
      'id,id',
      '',
      ',',
      'id,',
      ' id',
      'Id',
      'constructor',
      '__proto__',
      'toString',
      'id.x',
      '*',
      many,
    ]) {
      assertRefused(await list().ask({ fields }), 'invalid_query_parameter', 'fields', fields)
    }
  })
}
