/** Texts and numbers at edges that parsers, stores and engines treat differently. */
import type { Dice } from '../dice.ts'

const hard_texts: readonly string[] = [
  '',
  ' ',
  '0',
  'null',
  'true',
  '__proto__',
  'constructor',
  'toString',
  'a\u0000b',
  '\ud800',
  '\udc00\ud800',
  '\ufeff',
  '\u202e\u2066',
  'e\u0301',
  'İıſK',
  'ß',
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
  '\u{10ffff}',
  '\u2028\u2029',
  '\r\n',
  '\u007f\u0085',
  "' or 1=1 --",
  '%',
  '_%\\',
  '"\\"',
  '#{x}{{y}}',
  '../../etc/passwd',
  '<script>',
  '-0',
  '1e309',
  '0x10',
  '9'.repeat(40),
  'ａ',
  '\u{20b9f}',
  '*',
  '[]',
]

const hard_numbers: readonly number[] = [
  0,
  -0,
  1,
  -1,
  0.5,
  1e-7,
  1.1e21,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32,
  2 ** 53 - 1,
  -(2 ** 53),
  1e308,
  5e-324,
  8_640_000_000_000,
  8_640_000_000_001,
  253_402_300_800,
]

export function hardText(dice: Dice): string {
  const text = dice.pick(hard_texts)
  if (dice.chance(0.85)) return text
  return text.repeat(dice.pick([2, 79, 80, 160, 161, 500, 501, 2001, 4097])).slice(0, 20_000)
}

export function hardNumber(dice: Dice): number {
  return dice.pick(hard_numbers)
}

const words = [
  'Draft',
  'the',
  'report',
  'für',
  'größe',
  'Ünal',
  '数',
  'plan',
  'q3',
  'UPPER',
  'a-b',
  "it's",
  '50%',
  'a_b',
]

/** An ordinary text of at most `chars_max` characters. */
export function plainText(dice: Dice, chars_max: number): string {
  let text = dice.pick(words)
  while (dice.chance(0.5)) text += ` ${dice.pick(words)}`
  return [...text].slice(0, chars_max).join('')
}
