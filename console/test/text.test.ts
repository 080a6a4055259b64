/** Markdown as the console parses it: ticking a box, and texts that are made to be slow, deep or large. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { boxesOf, isExcessive, parse, type TaskBox, tick } from '../src/text/parse.ts'

it('a tick changes one character of the text, wherever the box is', () => {
  const text = [
    '# Plan [ ] not a box',
    '* [ ]  first\t',
    '   1. [x] nested  ',
    '- - [ ] twice',
    '> + [X] quoted\r',
    '> + [ ] quoted\r',
    '- [ ](link) no box',
    '- [ ]',
    '```',
    '- [ ] code',
    '```',
    '1) [ ] last\ncontinued [ ] here',
  ].join('\n')
  const boxes = boxesOf(text)
  assert.deepEqual(
    boxes.map(({ checked, text: item }) => [checked, item.trim()]),
    [
      [false, '[ ]  first'],
      [true, '[x] nested'],
      [false, '[ ] twice'],
      [true, '[X] quoted'],
      [false, '[ ] quoted'],
      [false, '[ ] last'],
    ],
  )
  for (const [i, box] of boxes.entries()) {
    const next = tick(text, box, !box.checked) as string
    assert.equal(next.length, text.length)
    const different = [...text].flatMap((char, at) => (next[at] === char ? [] : [at]))
    assert.equal(different.length, 1, box.text)
    assert.deepEqual(
      boxesOf(next).map(({ checked }) => checked),
      boxes.map(({ checked }, other) => (other === i ? !checked : checked)),
    )
  }
})

it('a tick finds its item after others were added or removed, and never ticks another one', () => {
  const [box] = boxesOf('- [ ] buy milk') as [TaskBox]
  assert.equal(
    tick('Hello\n\n- [ ] buy bread\n- [ ] buy milk\n', box, true),
    'Hello\n\n- [ ] buy bread\n- [x] buy milk\n',
  )
  assert.equal(tick('- [ ] buy oat milk', box, true), null)
  assert.equal(tick('- a\n- [ ] buy milk\n- [ ] buy milk', box, true), null)
  assert.equal(tick('', box, true), null)
})

it('links in plain text need a scheme or www', () => {
  const linked = (text: string) =>
    parse(text).flatMap(({ children }) => (children ?? []).filter(({ type }) => type === 'link_open')).length
  assert.deepEqual(
    ['https://a.example/b_c', 'www.example.com', 'see mailto:a@b.example', 'readme.md', 'a@b.example', '//a.b/'].map(
      linked,
    ),
    [1, 1, 1, 0, 0, 0],
  )
})

it('a text that is too deep or too large is shown as it is', () => {
  for (const text of ['> '.repeat(500), '- '.repeat(500), '- a\n'.repeat(10_000), 'a|b\n-|-\n'.repeat(3000)]) {
    assert.equal(isExcessive(parse(`${text}x`)), true, text.slice(0, 10))
  }
  assert.equal(isExcessive(parse('> - a *b **c***\n'.repeat(100))), false)
})

it('hostile texts are parsed', () => {
  const parts = [
    '[',
    '![',
    '[a](',
    '<',
    '<!--',
    '`',
    '*a ',
    '_a ',
    '**x _y ',
    '> ',
    '- ',
    '[a]: u\n',
    '[a\n',
    '//a.b/',
    'www.',
    'http://',
    'a@b.',
  ]
  for (const part of [...parts, '| a ', '&#x', '\\', '\0', '\u202e', '~~a', '<a href="']) {
    assert.ok(parse(part.repeat(Math.floor(16_384 / part.length))).length > 0 || part === '[a]: u\n', part)
  }
})
