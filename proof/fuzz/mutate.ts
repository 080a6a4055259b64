/** Mutations of JSON values, their text and their bytes. */
import type { Dice } from '../dice.ts'
import { hardNumber, hardText } from './texts.ts'

/** A value of another type or at an edge. */
export function strange(dice: Dice): unknown {
  const roll = dice.int(0, 9)
  if (roll < 4) return hardText(dice)
  if (roll < 7) return hardNumber(dice)
  return dice.pick<unknown>([
    null,
    true,
    false,
    [],
    {},
    [[]],
    [null],
    { a: 1 },
    { $expr: '1+' },
    { length: 3 },
    [{}, {}],
  ])
}

type Parent = Record<string, unknown> | unknown[]

/** Every object and array in a value, the value itself first. */
function parentsOf(value: unknown, found: Parent[] = []): Parent[] {
  if (typeof value !== 'object' || value === null) return found
  found.push(value as Parent)
  for (const inner of Object.values(value)) parentsOf(inner, found)
  return found
}

/** Changes one place of the value in place. */
export function mutateValue(dice: Dice, value: unknown): unknown {
  const parents = parentsOf(value)
  if (parents.length === 0 || dice.chance(0.03)) return strange(dice)
  const parent = dice.pick(parents)
  if (Array.isArray(parent)) mutateList(dice, parent)
  else mutateFields(dice, parent)
  return value
}

function mutateList(dice: Dice, list: unknown[]): void {
  const at = dice.int(0, Math.max(0, list.length - 1))
  const roll = dice.int(0, 4)
  if (roll === 0) list.splice(at, 1)
  else if (roll === 1) list.push(strange(dice))
  else if (roll === 2 && list.length > 0) list.push(structuredClone(list[at]))
  else if (roll === 3 && list.length > 0)
    list.push(...Array.from({ length: dice.pick([50, 101, 300]) }, () => list[at]))
  else list[at] = strange(dice)
}

function mutateFields(dice: Dice, fields: Record<string, unknown>): void {
  const names = Object.keys(fields)
  const roll = dice.int(0, 9)
  if (names.length === 0 || roll === 0) fields[hardText(dice).slice(0, 200)] = strange(dice)
  else {
    const name = dice.pick(names)
    const held = fields[name]
    if (roll === 1) delete fields[name]
    else if (roll === 2) fields[`${name}_`] = held
    else if (roll === 3 && typeof held === 'string') fields[name] = mutateText(dice, held)
    else if (roll === 4 && typeof held === 'number')
      fields[name] = held + dice.pick([1, -1, 0.5, 2 ** 31, -held - held])
    else if (roll === 5) fields[name] = [held]
    else if (roll === 6) fields[name] = nested(dice, held)
    else fields[name] = strange(dice)
  }
}

function nested(dice: Dice, value: unknown): unknown {
  let made = value
  for (let depth = dice.pick([1, 5, 31, 32, 33, 100]); depth > 0; depth--)
    made = dice.chance(0.5) ? [made] : { a: made }
  return made
}

/** Cuts, doubles, swaps or breaks a part of a text. */
export function mutateText(dice: Dice, text: string): string {
  const from = dice.int(0, text.length)
  const to = Math.min(text.length, from + dice.int(0, 8))
  const roll = dice.int(0, 5)
  if (roll === 0) return text.slice(0, from) + text.slice(to)
  if (roll === 1) return text.slice(0, to) + text.slice(from, to) + text.slice(to)
  if (roll === 2) return text.slice(0, from) + hardText(dice) + text.slice(from)
  if (roll === 3) return text.slice(0, from) + String.fromCharCode(dice.int(0, 0x2ff)) + text.slice(from + 1)
  if (roll === 4) return text.repeat(dice.pick([2, 3, 10])).slice(0, 20_000)
  return (
    text.slice(0, from) +
    dice.pick(['"', '\\', '(', ')', '{', '}', '[', ']', ',', ':', '=', '.', '-', '*', ' ']) +
    text.slice(from)
  )
}

/** JSON text of a value, sometimes in unusual form. */
export function jsonText(dice: Dice, value: unknown): string {
  const text = JSON.stringify(value) ?? 'null'
  if (dice.chance(0.9)) return text
  const roll = dice.int(0, 7)
  if (roll === 0) return text.replace(/\{"(\w+)":/, (all, name) => `${all}1,"${name}":`)
  if (roll === 1)
    return text.replace(/\d+/, () => dice.pick(['1e309', '9007199254740993', '-0', '01', '1.0', '1E+2', 'NaN']))
  if (roll === 2) return text.replace(/"[a-z]/, (found) => `"\\u00${found.charCodeAt(1).toString(16)}`)
  if (roll === 3) return JSON.stringify(value, null, '\t')
  if (roll === 4) return `\ufeff${text}`
  if (roll === 5) return text.slice(0, dice.int(0, text.length))
  if (roll === 6) return `${text}${dice.pick([' ', 'x', ',', '{}', '\0', '//'])}`
  return mutateText(dice, text)
}

/** Bytes of a text, sometimes in another encoding or damaged. */
export function bytesOfText(dice: Dice, text: string): Buffer {
  const bytes = Buffer.from(text)
  if (dice.chance(0.97) || bytes.length === 0) return bytes
  const roll = dice.int(0, 2)
  if (roll === 0) return Buffer.from(text, 'utf16le')
  if (roll === 1) return Buffer.from(text, 'latin1')
  bytes[dice.int(0, bytes.length - 1)] = dice.int(0, 255)
  return bytes
}
