import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Frame, SseParser } from '../src/sse.ts'

const encoder = new TextEncoder()

function parse(text: string | Uint8Array): { frames: Frame[]; retry: number | null } {
  const parser = new SseParser()
  const frames = parser.take(typeof text === 'string' ? encoder.encode(text) : text)
  return { frames, retry: parser.retry }
}

describe('the parser of Server-Sent Events', () => {
  it('reads frames after the HTML standard', () => {
    const text = [
      'retry: 3000\n: connected\n\n',
      'id: 1\nevent: a\ndata: {"x":1}\n\n',
      'data:no space\ndata:  two\n\n', // keeps the last id, has no event; one space is taken off
      'event: b\nid\ndata\n\n', // fields without a value
      'id: 3\n\n', // no data, no frame; the id counts
      'id: a\0b\nretry: x\nfoo: bar\ndata: last\n\n',
      'data: never ended\n',
    ].join('')
    assert.deepEqual(parse(text), {
      frames: [
        { id: '1', event: 'a', data: '{"x":1}' },
        { id: '1', event: '', data: 'no space\n two' },
        { id: '', event: 'b', data: '' },
        { id: '3', event: '', data: 'last' },
      ],
      retry: 3000,
    })
  })

  it('accepts all three line ends and skips a byte order mark', () => {
    const expected = [{ id: '1', event: '', data: 'x\ny' }]
    for (const end of ['\n', '\r\n', '\r']) {
      const text = ['\ufeffid: 1', 'data: x', 'data: y', '', ': more'].join(end)
      assert.deepEqual(parse(text).frames, expected, JSON.stringify(end))
    }
  })

  it('reads the same frames wherever the bytes are cut', () => {
    const piece = fc.constantFrom('\n', '\r', '\r\n', 'data: ', 'id: ', 'event:', ':', 'ö', '🙂', 'x', '\n\n')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.array(fc.nat(), { maxLength: 8 }), (pieces, cuts) => {
        const bytes = encoder.encode(pieces.join(''))
        const parser = new SseParser()
        const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
        const cut = [0, ...places].map((from, i) => bytes.subarray(from, places[i] ?? bytes.length))
        const ended = encoder.encode(':') // shows whether a carriage return at the end stands alone
        const frames = [...cut, ended].flatMap((part) => parser.take(part))
        assert.deepEqual(frames, parse(Buffer.concat([bytes, ended])).frames)
      }),
      { numRuns: 2000 },
    )
  })

  it('refuses a frame above the size limit', () => {
    const parser = new SseParser()
    const line = encoder.encode(`data: ${'x'.repeat(1_000_000)}\n`)
    assert.throws(() => {
      for (let i = 0; i < 20; i++) parser.take(line)
    }, /is longer than/)
  })
})
