/** Damaged files and other files: each is refused as a whole, with the path of the damage. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { arrow, box, file, read } from '../../../test/excalidraw.ts'
import type { Refusal } from '../../api/declare/errors.ts'
import { limits } from '../../api/limits.ts'

const many = Array.from({ length: limits.board_elements_max + 1 }, (_, i) => box(`e${i}`))

/** Files, and the path that the refusal names. */
const damages = (): [Buffer, string | undefined][] => [
  [Buffer.from('{"type":"excalidraw","elements":['), undefined],
  [Buffer.from([0xff, 0xfe]), undefined],
  [Buffer.from(''), undefined],
  [Buffer.from('[]'), undefined],
  [Buffer.from('{"type":"drawing"}'), 'type'],
  [Buffer.from('{"type":"excalidraw"}'), 'elements'],
  [Buffer.from('{"type":"excalidraw","elements":[{"id":"a\\u0000"}]}'), 'elements[0].id'],
  [Buffer.from('{"type":"excalidraw","elements":[{"id":"\\ud800"}]}'), 'elements[0].id'],
  [Buffer.from(`{"type":"excalidraw","elements":${'['.repeat(40)}${']'.repeat(40)}}`), `elements${'[0]'.repeat(31)}`],
  [file([null]), 'elements[0]'],
  [file([box('a'), []]), 'elements[1]'],
  [file([{ type: 'rectangle' }]), 'elements[0].id'],
  [file([{ id: '' }]), 'elements[0].id'],
  [file([{ id: 'a', type: 3 }]), 'elements[0].type'],
  [file([box('a'), box('b'), box('a')]), 'elements[2].id'],
  [file([box('a', { x: '1' })]), 'elements[0].x'],
  [file([box('a', { x: undefined })]), 'elements[0].x'],
  [file([box('a', { width: null })]), 'elements[0].width'],
  [file([box('a', { y: 1e300 })]), 'elements[0].y'],
  [file([box('a', { locked: 'yes' })]), 'elements[0].locked'],
  [file([box('a', { groupIds: ['g', 4] })]), 'elements[0].groupIds[1]'],
  [file([box('a', { strokeColor: {} })]), 'elements[0].strokeColor'],
  [file([box('a', { strokeColor: 'x'.repeat(201) })]), 'elements[0].strokeColor'],
  [
    file([
      box('a'),
      arrow('w', {
        points: [
          [0, 0],
          [1, 1],
          [1, 'x'],
        ],
      }),
    ]),
    'elements[1].points[2][1]',
  ],
  [file([arrow('w', { points: [[0, 0], [1]] })]), 'elements[0].points[1]'],
  [file([arrow('w', { points: undefined })]), 'elements[0].points'],
  [file([arrow('w', { startBinding: {} })]), 'elements[0].startBinding.elementId'],
  [file([arrow('w', { endBinding: 'a' })]), 'elements[0].endBinding'],
  [file([box('f', { type: 'frame', frameId: 'f' })]), 'elements[0].frameId'],
  [
    file([box('a', { frameId: 'f' }), box('f', { type: 'frame', frameId: 'g' }), box('g', { frameId: 'f' })]),
    'elements[0].frameId',
  ],
  [file(many), 'elements'],
  [Buffer.alloc(limits.board_import_bytes_max + 1, ' '), undefined],
]

describe('an Excalidraw file', () => {
  it('damage is refused with its path', () => {
    for (const [bytes, param] of damages()) {
      assert.throws(
        () => read(bytes),
        (refusal: Refusal) => {
          assert.deepEqual([refusal.code, refusal.options.param], ['invalid_request_body', param], refusal.message)
          assert.match(refusal.message, /^The file is damaged: /)
          return true
        },
        bytes.toString('utf8', 0, 200),
      )
    }
    assert.equal(read(file(many.slice(1))).length, limits.board_elements_max)
  })
})
