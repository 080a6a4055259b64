import assert from 'node:assert/strict'
import { it } from 'node:test'
import { isPublicId } from '../../lib/ids.ts'
import { Sealer } from '../../lib/seal.ts'
import { Refusal } from '../declare/errors.ts'
import {
  type CursorBinding,
  isSortedCursor,
  makeCursor,
  makeSortedCursor,
  readCursor,
  readSortedCursor,
  textDigest,
} from './cursor.ts'

const sealer = new Sealer(Buffer.alloc(32, 1))
const binding: CursorBinding = { operation: 'tasks.list', realm: 1, filters: { sort: 'title' } }
const id = 'tsk_01K1V6YQ0000000000000000ZZ'

function codeOf(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    if (error instanceof Refusal) return `${error.code} ${error.options.param}`
    throw error
  }
  return 'read'
}

it('a sorted cursor has the form of an id and at most 160 characters for every value', () => {
  for (const character of ['a', '"', '\\', '\n', '\u0001', 'ü', '工', '🙂', '\u{10FFFF}']) {
    for (let length = 1; length <= 500; length++) {
      const cursor = makeSortedCursor(sealer, binding, {
        id,
        values: [character.repeat(length), -1 / 3e7],
      })
      assert.ok(isPublicId(cursor) && isSortedCursor(cursor), `${cursor.length}`)
    }
  }
})

it('values that fit into a sorted cursor are read back unchanged', () => {
  for (const values of [[], [null], [0], ['Short'], [1785844800123, 'Ä "quoted" title'], [0.1, null]]) {
    const cursor = makeSortedCursor(sealer, binding, { id, values })
    assert.deepEqual(readSortedCursor(sealer, binding, cursor, 'starting_after'), { id, values })
  }
})

it('a text that does not fit is read back as its beginning, in whole characters, and its digest', () => {
  const title = '🙂 '.repeat(200)
  const cursor = makeSortedCursor(sealer, binding, { id, values: [3, title] })
  const { values } = readSortedCursor(sealer, binding, cursor, 'starting_after')
  const [start, digest] = values[1] as [string, string]
  assert.equal(values[0], 3)
  assert.ok(start.length > 5 && title.startsWith(start) && start.isWellFormed())
  assert.equal(digest, textDigest(title))
})

it('a cursor of another operation, realm, kind or server key is invalid; one of other filters is a mismatch', () => {
  const cursor = makeSortedCursor(sealer, binding, { id, values: ['x'] })
  const read = (other: Partial<CursorBinding>, by = sealer) =>
    codeOf(() => readSortedCursor(by, { ...binding, ...other }, cursor, 'ending_before'))
  assert.equal(read({}), 'read')
  assert.equal(read({ operation: 'tasks.count' }), 'cursor_invalid ending_before')
  assert.equal(read({ realm: 2 }), 'cursor_invalid ending_before')
  assert.equal(read({}, new Sealer(Buffer.alloc(32, 2))), 'cursor_invalid ending_before')
  assert.equal(read({ filters: { sort: '-title' } }), 'cursor_filter_mismatch ending_before')
  assert.equal(
    codeOf(() => readCursor(sealer, binding, cursor.slice(4))),
    'cursor_invalid cursor',
  )
  const opaque = makeCursor(sealer, binding, ['x', 1])
  assert.equal(
    codeOf(() => readSortedCursor(sealer, binding, `cur_${opaque}`, 'starting_after')),
    'cursor_invalid starting_after',
  )
  assert.deepEqual(readCursor(sealer, binding, opaque), ['x', 1])
})

it('a cursor is equal for equal positions and shows neither values nor ids', () => {
  const secret = 'Layoffs in Q3'
  const sorted = () => makeSortedCursor(sealer, binding, { id, values: [secret, 1785844800] })
  const opaque = () => makeCursor(sealer, binding, [secret.repeat(20), id])
  assert.deepEqual([sorted(), opaque()], [sorted(), opaque()])
  for (const token of [sorted().slice(4), opaque()]) {
    const read = [0, 1, 2, 3].map((at) => Buffer.from(token.slice(at), 'base64url').toString('latin1')).join('\n')
    for (const part of ['Lay', 'off', 'Q3', 'tsk_', '178584', '["']) assert.equal(read.includes(part), false, part)
  }
})

it('a cursor of an earlier version, which was signed and readable, is invalid', () => {
  const readable =
    'cur_' +
    Buffer.concat([
      Buffer.alloc(12, 7),
      Buffer.from([2]),
      Buffer.alloc(6),
      Buffer.from(JSON.stringify([id, 'x'])),
    ]).toString('base64url')
  assert.equal(
    codeOf(() => readSortedCursor(sealer, binding, readable, 'starting_after')),
    'cursor_invalid starting_after',
  )
})

it('a cursor with a changed character, padding or length is invalid', () => {
  const cursor = makeSortedCursor(sealer, binding, { id, values: ['x'] })
  for (let i = 4; i < cursor.length; i++) {
    const forged = `${cursor.slice(0, i)}${cursor[i] === 'A' ? 'B' : 'A'}${cursor.slice(i + 1)}`
    assert.equal(
      codeOf(() => readSortedCursor(sealer, binding, forged, 'starting_after')),
      'cursor_invalid starting_after',
    )
  }
  for (const other of ['cur_', `${cursor}=`, `${cursor}AAAA`, cursor.slice(0, -2), 'cur_é']) {
    assert.equal(
      codeOf(() => readSortedCursor(sealer, binding, other, 'starting_after')),
      'cursor_invalid starting_after',
    )
  }
})
