/** Elements of a drawing that people change: what is accepted from clients and files, and new versions of elements. */
import { randomInt } from 'node:crypto'
import { generateKeyBetween } from 'fractional-indexing'
import type { JsonObject, JsonValue } from '../../../lib/strict-json.ts'
import { damagedAt, type FileObject, flagIn, readObject, requiredWordIn } from '../excalidraw/fields.ts'
import { toItems } from '../excalidraw/items.ts'
import type { Element } from '../excalidraw.ts'
import { scene_limits } from './limits.ts'
import type { SceneElement } from './merge.ts'
import type { Scene } from './scene.ts'

const nonce_max = 2 ** 32

export function newNonce(): number {
  return randomInt(2 ** 31)
}

/** The next version of an element with other fields, so that it wins over every state seen so far. */
export function changedElement(element: SceneElement, fields: JsonObject, now: number): SceneElement {
  return { ...element, ...fields, ...winningOver(element), updated: now }
}

/** Checks an element that a client sent; a fault is refused with its path. */
export function readElement(value: JsonValue | undefined, path: string): SceneElement {
  const of = readObject(value, path)
  requiredWordIn(of, 'id')
  requiredWordIn(of, 'type')
  if (typeof of.raw.isDeleted !== 'boolean') throw damagedAt(`${path}.isDeleted`, 'must be true or false')
  requireInteger(of, 'version', 1, scene_limits.element_version_max)
  requireInteger(of, 'versionNonce', 0, nonce_max)
  if (!isIndex(of.raw.index)) throw damagedAt(`${path}.index`, 'must be a fractional index')
  requireMappable(of)
  if (JSON.stringify(of.raw).length > scene_limits.element_bytes_max) {
    throw damagedAt(path, `is over the limit of ${scene_limits.element_bytes_max} bytes per element`)
  }
  return of.raw as SceneElement
}

function requireInteger({ raw, path }: FileObject, name: string, min: number, max: number): void {
  const value = raw[name]
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return
  throw damagedAt(`${path}.${name}`, `must be an integer from ${min} to ${max}`)
}

/** An index that clients cannot read would stop every client that computes a neighbour of it. */
function isIndex(value: JsonValue | undefined): value is string {
  if (typeof value !== 'string' || value.length > scene_limits.element_index_chars_max) return false
  try {
    generateKeyBetween(value, null)
    return true
  } catch {
    return false
  }
}

/** Refuses fields of a wrong type, which would keep the whole board from being published. */
function requireMappable(of: FileObject): void {
  flagIn(of, 'locked')
  toItems({ elements: [elementOf(of)], assets: new Map() }, (element) => element)
}

/** The element as the mapping to items reads it. */
export function elementOf(of: FileObject): Element {
  return { ...of, id: of.raw.id as string, type: of.raw.type as string }
}

/**
 * The elements of a file as a scene: in their order, with a version, and with indexes where they are missing or not in order.
 */
export function sceneOfFile(raw: readonly JsonObject[], now: number): SceneElement[] {
  let last: string | null = null
  return raw.map((element) => {
    const { version, versionNonce, index } = element
    const isNext: boolean = isIndex(index) && (last === null || index > last)
    last = isNext ? (index as string) : generateKeyBetween(last, null)
    return {
      ...element,
      id: element.id as string,
      type: element.type as string,
      version: isVersion(version) ? version : 1,
      versionNonce: typeof versionNonce === 'number' && Number.isInteger(versionNonce) ? versionNonce : 0,
      isDeleted: false,
      index: last,
      updated: typeof element.updated === 'number' ? element.updated : now,
    }
  })
}

/** The change that leaves exactly `elements` on the board. */
export function replacement(scene: Scene, elements: readonly SceneElement[], now: number): SceneElement[] {
  const kept = new Set(elements.map(({ id }) => id))
  const deleted = scene
    .shownElements()
    .filter(({ id }) => !kept.has(id))
    .map((element) => changedElement(element, { isDeleted: true }, now))
  const added = elements.map((element) => {
    const current = scene.get(element.id)
    return current === undefined ? element : { ...element, ...winningOver(current) }
  })
  return [...deleted, ...added]
}

/** The change that deletes an element and its text, and releases the connectors attached to it. */
export function deletionOf(scene: Scene, id: string, now: number): SceneElement[] {
  const holds = (binding: unknown) => (binding as { elementId?: unknown } | null | undefined)?.elementId === id
  return scene.shownElements().flatMap((element) => {
    if (element.id === id || element.containerId === id) return [changedElement(element, { isDeleted: true }, now)]
    const { startBinding, endBinding } = element
    if (!holds(startBinding) && !holds(endBinding)) return []
    const kept = (binding: typeof startBinding) => (holds(binding) ? null : (binding ?? null))
    return [changedElement(element, { startBinding: kept(startBinding), endBinding: kept(endBinding) }, now)]
  })
}

function winningOver(current: SceneElement): { version: number; versionNonce: number } {
  return { version: current.version + 1, versionNonce: newNonce() }
}

function isVersion(value: JsonValue | undefined): value is number {
  return (
    typeof value === 'number' && Number.isInteger(value) && value >= 1 && value < scene_limits.element_version_max / 2
  )
}
