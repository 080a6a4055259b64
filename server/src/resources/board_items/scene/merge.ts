/**
 * The rule by which changes of an element are merged: Excalidraw's own. Of two states the one with the higher version wins, of
 * equal versions the one with the lower nonce. The rule is a total order, so every process and every browser ends with the
 * same elements, in whatever order changes arrive (docs/decisions/whiteboards.md).
 */
import type { JsonObject } from '../../../lib/strict-json.ts'

export interface SceneElement extends JsonObject {
  id: string
  type: string
  version: number
  versionNonce: number
  isDeleted: boolean
  /** Its place among the others: a fractional index. */
  index: string
}

/** Whether a state of an element wins over the current one. */
export function replaces(
  sent: Pick<SceneElement, 'version' | 'versionNonce'>,
  current: Pick<SceneElement, 'version' | 'versionNonce'> | undefined,
): boolean {
  if (current === undefined) return true
  if (sent.version !== current.version) return sent.version > current.version
  return sent.versionNonce < current.versionNonce
}

/** The drawing order: by index, and of equal indexes by id. */
export function compareElements(a: SceneElement, b: SceneElement): number {
  if (a.index !== b.index) return a.index < b.index ? -1 : 1
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}
