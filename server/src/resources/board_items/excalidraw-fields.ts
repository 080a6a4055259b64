/** Fields of an Excalidraw file, each checked where it stands: what is wrong is told with its place. */
import { type Refusal, refuse } from '../../api/declare/errors.ts'
import { limits } from '../../api/limits.ts'
import type { JsonObject, JsonValue } from '../../lib/strict-json.ts'

/** The file is damaged at this place (`elements[12].points[3]`). */
export function damaged(place: string, what: string): Refusal {
  const message = `The file is damaged: ${place === '' ? 'it' : place} ${what}.`
  return refuse('invalid_request_body', { message, ...(place === '' ? {} : { param: place }) })
}

/** An object of the file and where it stands. */
export interface Placed {
  readonly raw: JsonObject
  readonly place: string
}

export function placed(value: JsonValue | undefined, place: string): Placed {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw damaged(place, 'must be an object')
  return { raw: value, place }
}

function at({ place }: Placed, name: string): string {
  return place === '' ? name : `${place}.${name}`
}

/** The object in a field, null where there is none. */
export function objectIn(of: Placed, name: string): Placed | null {
  const value = of.raw[name] ?? null
  return value === null ? null : placed(value, at(of, name))
}

/** A number in a field; `fallback` where there is none, which without a fallback is damage. */
export function numberIn<T>(of: Placed, name: string, fallback?: T): number | T {
  const value = of.raw[name] ?? null
  if (value === null && fallback !== undefined) return fallback
  return bounded(value, at(of, name))
}

function bounded(value: JsonValue | undefined, place: string): number {
  const max = limits.board_coordinate_max
  if (typeof value !== 'number' || !(Math.abs(value) <= max)) {
    throw damaged(place, `must be a number from -${max} to ${max}`)
  }
  return value
}

/** A text in a field, null where there is none. */
export function textIn(of: Placed, name: string): string | null {
  const value = of.raw[name] ?? null
  if (value !== null && typeof value !== 'string') throw damaged(at(of, name), 'must be a text')
  return value
}

/** A short text in a field: an id, a colour, the name of a style. Null where there is none. */
export function wordIn(of: Placed, name: string): string | null {
  return short(textIn(of, name), at(of, name))
}

/** The same, but it must be there. */
export function requiredWordIn(of: Placed, name: string): string {
  const word = wordIn(of, name)
  if (word === null || word === '') throw damaged(at(of, name), 'must be a text that is not empty')
  return word
}

function short<T extends string | null>(text: T, place: string): T {
  const max = limits.board_element_text_chars_max
  if (text !== null && text.length > max) throw damaged(place, `must have at most ${max} characters`)
  return text
}

export function flagIn(of: Placed, name: string): boolean {
  const value = of.raw[name] ?? false
  if (typeof value !== 'boolean') throw damaged(at(of, name), 'must be true or false')
  return value
}

function listIn(of: Placed, name: string): JsonValue[] {
  const value = of.raw[name] ?? []
  if (!Array.isArray(value)) throw damaged(at(of, name), 'must be an array')
  return value
}

export function wordsIn(of: Placed, name: string): string[] {
  return listIn(of, name).map((value, i) => {
    const place = `${at(of, name)}[${i}]`
    if (typeof value !== 'string') throw damaged(place, 'must be a text')
    return short(value, place)
  })
}

export interface Point {
  readonly x: number
  readonly y: number
}

/** A pair of numbers, null where there is none. */
export function pairIn(of: Placed, name: string): Point | null {
  return of.raw[name] === undefined || of.raw[name] === null ? null : pair(of.raw[name], at(of, name))
}

/** The points of a line: each two numbers, of which more may follow. */
export function pointsIn(of: Placed, name: string): Point[] {
  if (of.raw[name] === undefined) throw damaged(at(of, name), 'must be an array')
  return listIn(of, name).map((value, i) => pair(value, `${at(of, name)}[${i}]`))
}

function pair(value: JsonValue, place: string): Point {
  if (!Array.isArray(value) || value.length < 2) throw damaged(place, 'must be two numbers')
  return { x: bounded(value[0], `${place}[0]`), y: bounded(value[1], `${place}[1]`) }
}

/** A link in a field if it is one of the web over TLS; any other is left out. */
export function linkIn(of: Placed, name: string): string | null {
  const text = textIn(of, name)
  if (text === null || text.length > limits.board_link_chars_max) return null
  return URL.canParse(text) && new URL(text).protocol === 'https:' ? text : null
}

const task_page = /^\/work\/tasks\/(tsk_[0-9A-HJKMNP-TV-Z]{26})$/

/** The id of the task whose page an element links to, wherever Atrium is served; whether there is such a task, nobody knows yet. */
export function taskIn(of: Placed): string | null {
  const text = textIn(of, 'link')
  if (text === null || text.length > limits.board_link_chars_max || !URL.canParse(text)) return null
  return task_page.exec(new URL(text).pathname)?.[1] ?? null
}
