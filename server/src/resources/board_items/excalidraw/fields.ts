/** Reads fields of an Excalidraw file and checks their types. Refusals name the path of the damage. */
import { type Refusal, refuse } from '../../../api/declare/errors.ts'
import { limits } from '../../../api/limits.ts'
import type { JsonObject, JsonValue } from '../../../lib/strict-json.ts'

/** The refusal of a file that is damaged at this path (`elements[12].points[3]`). */
export function damagedAt(path: string, what: string): Refusal {
  const message = `The file is damaged: ${path === '' ? 'it' : path} ${what}.`
  return refuse('invalid_request_body', { message, ...(path === '' ? {} : { param: path }) })
}

/** An object of the file and its path. */
export interface FileObject {
  readonly raw: JsonObject
  readonly path: string
}

export function readObject(value: JsonValue | undefined, path: string): FileObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw damagedAt(path, 'must be an object')
  return { raw: value, path }
}

function pathOf({ path }: FileObject, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

/** The object in a field; null if the field is missing. */
export function objectIn(of: FileObject, name: string): FileObject | null {
  const value = of.raw[name] ?? null
  return value === null ? null : readObject(value, pathOf(of, name))
}

/** The number in a field; `fallback` if the field is missing. Refuses a missing number without a fallback. */
export function numberIn<T>(of: FileObject, name: string, fallback?: T): number | T {
  const value = of.raw[name] ?? null
  if (value === null && fallback !== undefined) return fallback
  return readNumber(value, pathOf(of, name))
}

function readNumber(value: JsonValue | undefined, path: string): number {
  const max = limits.board_coordinate_max
  if (typeof value !== 'number' || !(Math.abs(value) <= max)) {
    throw damagedAt(path, `must be a number from -${max} to ${max}`)
  }
  return value
}

/** The text in a field; null if the field is missing. */
export function textIn(of: FileObject, name: string): string | null {
  const value = of.raw[name] ?? null
  if (value !== null && typeof value !== 'string') throw damagedAt(pathOf(of, name), 'must be a text')
  return value
}

/** The short text in a field, such as an id, a colour or a style; null if the field is missing. */
export function wordIn(of: FileObject, name: string): string | null {
  return requireShort(textIn(of, name), pathOf(of, name))
}

/** The same for a required field. */
export function requiredWordIn(of: FileObject, name: string): string {
  const word = wordIn(of, name)
  if (word === null || word === '') throw damagedAt(pathOf(of, name), 'must be a non-empty text')
  return word
}

function requireShort<T extends string | null>(text: T, path: string): T {
  const max = limits.board_element_text_chars_max
  if (text !== null && text.length > max) throw damagedAt(path, `must have at most ${max} characters`)
  return text
}

export function flagIn(of: FileObject, name: string): boolean {
  const value = of.raw[name] ?? false
  if (typeof value !== 'boolean') throw damagedAt(pathOf(of, name), 'must be true or false')
  return value
}

function listIn(of: FileObject, name: string): JsonValue[] {
  const value = of.raw[name] ?? []
  if (!Array.isArray(value)) throw damagedAt(pathOf(of, name), 'must be an array')
  return value
}

export function wordsIn(of: FileObject, name: string): string[] {
  return listIn(of, name).map((value, i) => {
    const path = `${pathOf(of, name)}[${i}]`
    if (typeof value !== 'string') throw damagedAt(path, 'must be a text')
    return requireShort(value, path)
  })
}

export interface Point {
  readonly x: number
  readonly y: number
}

/** The pair of numbers in a field; null if the field is missing. */
export function pairIn(of: FileObject, name: string): Point | null {
  return of.raw[name] === undefined || of.raw[name] === null ? null : readPair(of.raw[name], pathOf(of, name))
}

/** The points of a line: two numbers each; further numbers are ignored. */
export function pointsIn(of: FileObject, name: string): Point[] {
  if (of.raw[name] === undefined) throw damagedAt(pathOf(of, name), 'must be an array')
  return listIn(of, name).map((value, i) => readPair(value, `${pathOf(of, name)}[${i}]`))
}

function readPair(value: JsonValue, path: string): Point {
  if (!Array.isArray(value) || value.length < 2) throw damagedAt(path, 'must be two numbers')
  return { x: readNumber(value[0], `${path}[0]`), y: readNumber(value[1], `${path}[1]`) }
}

/** The https link in a field; null for any other text. */
export function linkIn(of: FileObject, name: string): string | null {
  const text = textIn(of, name)
  if (text === null || text.length > limits.board_link_chars_max) return null
  return URL.canParse(text) && new URL(text).protocol === 'https:' ? text : null
}

const task_page = /^\/work\/tasks\/(tsk_[0-9A-HJKMNP-TV-Z]{26})$/

/** The id of the task whose page an element links to, on any host or by its path. The task need not exist. */
export function taskIn(of: FileObject): string | null {
  const text = textIn(of, 'link')
  if (text === null || text.length > limits.board_link_chars_max) return null
  const path = URL.canParse(text) ? new URL(text).pathname : text
  return task_page.exec(path)?.[1] ?? null
}
