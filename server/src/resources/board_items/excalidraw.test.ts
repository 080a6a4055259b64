import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { arrow, box, contentOf, type Fields, file, read } from '../../../test/excalidraw.ts'
import type { Refusal } from '../../api/declare/errors.ts'
import { limits } from '../../api/limits.ts'
import { toItems } from './excalidraw/items.ts'
import { readDrawing } from './excalidraw.ts'

describe('an Excalidraw file', () => {
  it('a shape becomes an item with its centre, its rotation in degrees, its style and its bound text', () => {
    const label = { id: 't', type: 'text', x: 1, y: 2, width: 3, height: 4, containerId: 'a' }
    const items = read(
      file([
        box('a', {
          ...{ x: 10, y: 20, angle: Math.PI / 2, strokeColor: '#111', backgroundColor: 'red', fillStyle: 'solid' },
          ...{ strokeWidth: 2, strokeStyle: 'dashed', roughness: 1, opacity: 80, roundness: { type: 3 } },
          ...{ groupIds: ['inner', 'outer'], locked: true, link: 'https://example.com/x' },
        }),
        { ...label, text: 'Hello\nworld', originalText: 'Hello world', fontSize: 20, fontFamily: 1, textAlign: 'left' },
      ]),
    )
    assert.deepEqual(items, [
      {
        element: 'a',
        asset: null,
        content: {
          type: 'shape',
          position: { x: 60, y: 45, relative_to: 'canvas' },
          geometry: { width: 100, height: 50, rotation: 90 },
          order: 0,
          style: {
            stroke_color: '#111',
            background_color: 'red',
            fill_style: 'solid',
            stroke_width: 2,
            stroke_style: 'dashed',
            roughness: 1,
            opacity: 80,
            rounded: true,
            text_color: null,
            font_size: 20,
            font_family: 1,
            text_align: 'left',
            vertical_align: null,
          },
          text: 'Hello world',
          data: { shape: 'rectangle', link: 'https://example.com/x' },
          parent: null,
          groups: ['inner', 'outer'],
          connector: null,
          linked_task: null,
          locked: true,
          source: { format: 'excalidraw', element_id: 'a', element_type: 'rectangle' },
        },
      },
    ])
  })

  it('each kind of element has its type; unknown elements are kept, deleted ones dropped', () => {
    const sized = { x: 0, y: 0, width: 1, height: 1 }
    const points = [
      [0, 0],
      [5, 5, 0.5],
    ]
    const kinds: [string, string, Fields][] = [
      ['ellipse', 'shape', sized],
      ['diamond', 'shape', sized],
      ['text', 'text', { ...sized, text: 'x' }],
      ['arrow', 'connector', { x: 0, y: 0, points }],
      ['line', 'line', { x: 0, y: 0, points }],
      ['freedraw', 'freehand', { x: 0, y: 0, points }],
      ['frame', 'frame', { ...sized, name: 'Sprint' }],
      ['magicframe', 'frame', sized],
      ['image', 'image', { ...sized, fileId: null }],
      ['embeddable', 'embed', { ...sized, link: 'http://example.com' }],
      ['iframe', 'embed', { ...sized, link: 'https://example.com' }],
      ['hologram', 'unknown', {}],
      ['constructor', 'unknown', {}],
    ]
    const items = read(
      file([...kinds.map(([type, , more], i) => ({ id: `e${i}`, type, ...more })), { isDeleted: true, id: 7 }]),
    )
    assert.deepEqual(
      items.map(({ content }) => [content.source.element_type, content.type]),
      kinds.map(([element, type]) => [element, type]),
    )
    assert.deepEqual(
      items.map(({ content }) => content.order),
      kinds.map((_, i) => i),
    )
    assert.deepEqual(items[9]?.content.data, { url: null })
    assert.deepEqual(items[10]?.content.data, { url: 'https://example.com' })
    assert.equal(items[6]?.content.text, 'Sprint')
    assert.deepEqual(items[8]?.content.data, { asset: null, link: null })
    for (const { content } of items) assert.deepEqual(content.connector !== null, content.type === 'connector')
  })

  it('the box of a line encloses its points, which are relative to its corner', () => {
    const content = contentOf({
      id: 'l',
      type: 'line',
      x: 10,
      y: 10,
      points: [
        [0, 0],
        [-20, 30],
        [40, -10],
      ],
    })
    assert.deepEqual(content.position, { x: 20, y: 20, relative_to: 'canvas' })
    assert.deepEqual(content.geometry, { width: 60, height: 40, rotation: 0 })
    assert.deepEqual(content.data.points, [
      { x: 20, y: 10 },
      { x: 0, y: 40 },
      { x: 60, y: 0 },
    ])
    assert.deepEqual(contentOf({ id: 'l', type: 'line', x: 3, y: 4, points: [] }).position, {
      ...{ x: 3, y: 4, relative_to: 'canvas' },
    })
  })

  it('a connector ends on items at fractions of their sides, elsewhere at points of the canvas', () => {
    const to = { elementId: 'b', focus: 0, gap: 1 }
    const free = contentOf(arrow('w', { x: 5, y: 6 })).connector
    assert.deepEqual(free, {
      start: { item: null, x: 5, y: 6, relative_to: 'canvas' },
      end: { item: null, x: 105, y: 6, relative_to: 'canvas' },
      path: [
        { x: 5, y: 6 },
        { x: 105, y: 6 },
      ],
    })
    const target = box('b', { x: 101, y: -25 })
    const bound = contentOf(target, arrow('w', { endBinding: to, startBinding: { elementId: 'gone' } })).connector
    assert.deepEqual(bound?.end, { item: 'itm_b', x: 0, y: 0.5, relative_to: 'item' })
    assert.deepEqual(bound?.start, { item: null, x: 0, y: 0, relative_to: 'canvas' })
    const fixed = contentOf(target, arrow('w', { endBinding: { ...to, fixedPoint: [0.25, 1.2] } })).connector
    assert.deepEqual(fixed?.end, { item: 'itm_b', x: 0.25, y: 1, relative_to: 'item' })
    const flat = contentOf(box('b', { width: 0 }), arrow('w', { endBinding: to })).connector
    assert.equal(flat?.end.x, 0.5)
    // After half a turn, an arrow from the left meets the right side.
    const upside = contentOf({ ...target, angle: Math.PI }, arrow('w', { endBinding: to })).connector
    assert.equal(upside?.end.x, 1)
  })

  it('a bound line is a connector too, and an end bound to the text of a shape is bound to the shape', () => {
    const label = { id: 't', type: 'text', x: 0, y: 0, width: 1, height: 1, text: 'x', containerId: 'a' }
    const line = contentOf(box('a'), label, arrow('w', { type: 'line', startBinding: { elementId: 't' } }))
    assert.deepEqual([line.type, line.connector?.start.item], ['connector', 'itm_a'])
    const own = contentOf(arrow('w', { startBinding: { elementId: 'w' } })).connector
    assert.equal(own?.start.item, null)
  })

  it('positions in a frame are relative to its corner', () => {
    const frame = { id: 'f', type: 'frame', x: 1000, y: 500, width: 300, height: 300 }
    const content = contentOf(frame, box('a', { x: 1010, y: 520, frameId: 'f' }))
    assert.deepEqual([content.parent, content.position], ['itm_f', { x: 60, y: 45, relative_to: 'parent_top_left' }])
    assert.equal(contentOf(box('a', { frameId: 'gone' })).parent, null)
    assert.equal(contentOf(box('a'), box('b', { frameId: 'a' })).parent, null)
  })

  it('a text whose container is missing or already has a text is an item of its own', () => {
    const label = (id: string) => ({ id, type: 'text', x: 0, y: 0, width: 1, height: 1, text: id, containerId: 'a' })
    assert.deepEqual(
      read(file([box('a'), label('one'), label('two')])).map(({ content }) => [content.type, content.text]),
      [
        ['shape', 'one'],
        ['text', 'two'],
      ],
    )
    assert.deepEqual(
      [contentOf(label('alone')).type, contentOf(box('a', { isDeleted: true }), label('b')).type],
      [...['text', 'text']],
    )
  })

  it('the type of an image is determined by its bytes and not by the file', () => {
    const images: [string, Buffer][] = [
      ['image/png', Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1')],
      ['image/jpeg', Buffer.from('\xff\xd8\xffrest', 'latin1')],
      ['image/gif', Buffer.from('GIF89arest')],
      ['image/webp', Buffer.from('RIFF\x01\x02\x03\x04WEBPrest', 'latin1')],
    ]
    const element = { id: 'i', type: 'image', x: 0, y: 0, width: 1, height: 1, fileId: 'one' }
    const holding = (dataURL: unknown) => file([element], { files: { one: { mimeType: 'image/png', dataURL } } })
    for (const [media_type, bytes] of images) {
      const drawing = readDrawing(holding(`data:image/svg+xml;base64,${bytes.toString('base64')}`))
      const asset = { sha256: hash('sha256', bytes), media_type, size_bytes: bytes.length }
      assert.deepEqual(drawing.assets.get('one'), { ...asset, bytes: bytes.toString('base64') })
      assert.deepEqual(toItems(drawing, String)[0]?.content.data, { asset, link: null })
    }
    const large = Buffer.alloc(limits.board_asset_bytes_max + 1)
    large.write('GIF89a')
    for (const url of [
      `data:image/png;base64,${Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64')}`,
      'data:image/svg+xml,%3Csvg/%3E',
      'data:image/gif;base64,R0lGODlh!AAA',
      'https://example.com/image.png',
      '',
      7,
      `data:image/gif;base64,${large.toString('base64')}`,
    ]) {
      assert.throws(
        () => readDrawing(holding(url)),
        (refusal: Refusal) => refusal.options.param === 'files.one.dataURL',
      )
    }
    assert.equal(readDrawing(file([], { files: { unused: { dataURL: 'x' } } })).assets.size, 0)
  })

  it('in real drawings every element becomes an item or the text of one', () => {
    const folder = join(import.meta.dirname, '../../../../../shared/data/excalidraw')
    if (!existsSync(folder)) return
    for (const [name, elements, texts] of [
      ['kubernetes-enhancement', 29, 9],
      ['wireframes', 209, 0],
    ] as const) {
      const items = read(readFileSync(join(folder, `${name}.excalidraw`)))
      assert.equal(items.length, elements - texts)
      assert.equal(items.filter(({ content }) => content.type === 'unknown').length, 0)
    }
  })
})
