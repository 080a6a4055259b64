/**
 * The messages between a page and the room of a board, as JSON. A client first says hello with its token, gets a welcome with
 * the whole scene, then sends changes and pointers. Changes are numbered by the client; an acknowledged change is on disk.
 */
import { Refusal, refuse } from '../api/declare/errors.ts'
import { limits } from '../api/limits.ts'
import { type JsonObject, parseStrictJson } from '../lib/strict-json.ts'
import { readElement } from '../resources/board_items/scene/element.ts'
import { scene_limits } from '../resources/board_items/scene/limits.ts'
import type { SceneElement } from '../resources/board_items/scene/merge.ts'
import type { BoardAccess } from '../resources/board_members/shared/access.ts'
import { room_limits } from './limits.ts'

export interface Pointer {
  readonly x: number
  readonly y: number
  readonly tool: 'pointer' | 'laser'
  readonly button: 'up' | 'down'
  /** Ids of the selected elements. */
  readonly selected: readonly string[]
  /** The part of the canvas that the person sees: x, y, width, height. */
  readonly view: readonly number[] | null
}

export type ClientMessage =
  | { readonly type: 'change'; readonly id: number; readonly elements: readonly SceneElement[] }
  | ({ readonly type: 'pointer' } & Pointer)

export interface Person {
  /** Names the connection. A user with two pages is here twice. */
  readonly connection: string
  /** The user, or the id of a guest of a link. Guests see null for every other person. */
  readonly user: string | null
  /** The name that a guest has given; null for other people. */
  readonly guest: string | null
  readonly access: BoardAccess
}

export type ServerMessage =
  | {
      readonly type: 'welcome'
      readonly connection: string
      readonly access: BoardAccess
      readonly sequence: number
      readonly elements: readonly SceneElement[]
      readonly people: readonly Person[]
    }
  | {
      readonly type: 'change'
      readonly sequence: number
      /** Null for guests. */
      readonly author: string | null
      readonly elements: readonly SceneElement[]
    }
  /** `sequence` is null if nothing of the change won over the board. */
  | { readonly type: 'ack'; readonly id: number; readonly sequence: number | null }
  | { readonly type: 'refused'; readonly id: number | null; readonly error: MessageError }
  | { readonly type: 'people'; readonly people: readonly Person[] }
  | { readonly type: 'access'; readonly access: BoardAccess }
  | ({ readonly type: 'pointer'; readonly connection: string } & Pointer)

/** A message as guests get it: without the ids of people. */
export function shownToGuest(message: ServerMessage): ServerMessage {
  if (message.type === 'change') return { ...message, author: null }
  if (message.type !== 'people' && message.type !== 'welcome') return message
  return { ...message, people: message.people.map((person) => ({ ...person, user: null })) }
}

export interface MessageError {
  readonly code: string
  readonly message: string
  readonly param?: string
}

export function errorOf(error: unknown): MessageError {
  const refusal = error instanceof Refusal ? error : refuse('internal_error')
  const { param } = refusal.options
  return { code: refusal.code, message: refusal.message, ...(param === undefined ? {} : { param }) }
}

/** The token of a hello. */
export function readHello(text: string): string {
  const message = readMessage(text)
  if (message.type !== 'hello' || typeof message.token !== 'string') {
    throw wrong('type', 'The first message must be a hello with a token.')
  }
  return message.token
}

/** A message of a client. A refusal carries no id; `idOf` reads it for the answer. */
export function readClientMessage(message: JsonObject): ClientMessage {
  if (message.type === 'change') return readChange(message)
  if (message.type === 'pointer') return { type: 'pointer', ...readPointer(message) }
  throw wrong('type', '`type` must be change or pointer.')
}

export function readMessage(text: string): JsonObject {
  const parsed = parseStrictJson(text, {
    depth_max: limits.json_depth_max,
    keys_max: limits.json_keys_max,
    containers_max: room_limits.room_containers_max,
  })
  if (!parsed.ok) throw wrong(parsed.path, `The message is not valid JSON: ${parsed.message}`)
  const { value } = parsed
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong('', 'Send an object.')
  return value
}

export function idOf({ id }: JsonObject): number | null {
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : null
}

function readChange(message: JsonObject): ClientMessage {
  const id = idOf(message)
  if (id === null) throw wrong('id', '`id` must be an integer.')
  const { elements } = message
  const max = scene_limits.change_elements_max
  if (!Array.isArray(elements) || elements.length === 0 || elements.length > max) {
    throw wrong('elements', `\`elements\` must have 1 to ${max} elements.`)
  }
  return { type: 'change', id, elements: elements.map((element, i) => readElement(element, `elements[${i}]`)) }
}

function readPointer(message: JsonObject): Pointer {
  const { x, y, tool, button, selected = [], view = null } = message
  if (!isCoordinate(x) || !isCoordinate(y)) throw wrong('x', '`x` and `y` must be coordinates.')
  if (tool !== 'pointer' && tool !== 'laser') throw wrong('tool', '`tool` must be pointer or laser.')
  if (button !== 'up' && button !== 'down') throw wrong('button', '`button` must be up or down.')
  return { x, y, tool, button, selected: readSelection(selected), view: readView(view) }
}

function isCoordinate(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= limits.board_coordinate_max
}

function readSelection(value: unknown): string[] {
  const max = room_limits.room_selection_max
  const isId = (each: unknown) => typeof each === 'string' && each.length <= limits.board_element_text_chars_max
  if (!Array.isArray(value) || !value.every(isId)) throw wrong('selected', '`selected` must be ids of elements.')
  return value.slice(0, max)
}

function readView(value: unknown): number[] | null {
  if (value === null) return null
  if (Array.isArray(value) && value.length === 4 && value.every(isCoordinate)) return value
  throw wrong('view', '`view` must be four numbers: x, y, width, height.')
}

function wrong(param: string, message: string): Refusal {
  return refuse('invalid_request_body', { message, ...(param === '' ? {} : { param }) })
}
