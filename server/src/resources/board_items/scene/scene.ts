/**
 * The elements of a board in memory, up to an operation. Invariant: applying the same operations in any order, once or several
 * times, gives the same elements.
 */
import { refuse } from '../../../api/declare/errors.ts'
import { limits } from '../../../api/limits.ts'
import { withoutEnd } from './frames.ts'
import { scene_limits } from './limits.ts'
import { compareElements, replaces, type SceneElement } from './merge.ts'

interface Kept {
  readonly element: SceneElement
  readonly bytes: number
}

export class Scene {
  /** The last operation that the elements contain. */
  sequence: number
  readonly #elements = new Map<string, Kept>()
  #bytes = 0
  /** Elements that are not deleted. */
  #shown = 0

  constructor(sequence: number, elements: readonly SceneElement[] = []) {
    this.sequence = sequence
    this.apply(elements)
  }

  get size(): number {
    return this.#elements.size
  }

  get bytes(): number {
    return this.#bytes
  }

  get shown(): number {
    return this.#shown
  }

  get(id: string): SceneElement | undefined {
    return this.#elements.get(id)?.element
  }

  /** All elements in drawing order, deleted ones included. */
  elements(): SceneElement[] {
    return [...this.#elements.values()].map(({ element }) => element).sort(compareElements)
  }

  /** The elements that are not deleted, in drawing order. */
  shownElements(): SceneElement[] {
    return this.elements().filter((element) => !element.isDeleted)
  }

  /** Takes over the elements that win, and returns them. */
  apply(elements: readonly SceneElement[]): SceneElement[] {
    return elements.filter((element) => this.#put(element))
  }

  #put(element: SceneElement): boolean {
    const current = this.#elements.get(element.id)
    if (!replaces(element, current?.element)) return false
    const bytes = JSON.stringify(element).length
    this.#elements.set(element.id, { element, bytes })
    this.#bytes += bytes - (current?.bytes ?? 0)
    this.#shown += Number(!element.isDeleted) - Number(current !== undefined && !current.element.isDeleted)
    return true
  }

  /** A copy that a transaction changes, so that nothing is shown before it is committed. */
  copy(): Scene {
    const copy = new Scene(this.sequence)
    for (const [id, kept] of this.#elements) copy.#elements.set(id, kept)
    copy.#bytes = this.#bytes
    copy.#shown = this.#shown
    return copy
  }
}

/** Refuses a change after which the board would be over a limit. A change that adds nothing is allowed. */
export function requireRoom(scene: Scene, elements: readonly SceneElement[]): void {
  const winners = elements.filter((element) => replaces(element, scene.get(element.id)))
  const added = winners.filter((element) => scene.get(element.id) === undefined).length
  const shown = winners.reduce((count, element) => {
    const current = scene.get(element.id)
    return count + Number(!element.isDeleted) - Number(current !== undefined && !current.isDeleted)
  }, 0)
  if (shown > 0 && scene.shown + shown > limits.board_elements_max) {
    throw overLimit(`A board has at most ${limits.board_elements_max} elements. Delete some, or use another board.`)
  }
  if (added > 0 && scene.size + added > scene_limits.scene_elements_max) {
    throw overLimit(`A board has at most ${scene_limits.scene_elements_max} elements, those deleted today included.`)
  }
  const grown = winners.reduce((bytes, element) => {
    const current = scene.get(element.id)
    return bytes + JSON.stringify(element).length - (current === undefined ? 0 : JSON.stringify(current).length)
  }, 0)
  if (grown > 0 && scene.bytes + grown > scene_limits.scene_bytes_max) {
    throw overLimit(`The elements of a board have at most ${scene_limits.scene_bytes_max} bytes of JSON.`)
  }
}

/** Refuses a change after which a frame would contain itself. `param`: where the caller sent the elements. */
export function requireFramesEnd(scene: Scene, elements: readonly SceneElement[], param: string): void {
  const winners = elements.filter((element) => replaces(element, scene.get(element.id)))
  const changed = new Map(winners.map((element) => [element.id, element]))
  const frameOf = (id: string) => {
    const element = changed.get(id) ?? scene.get(id)
    const isShown = element !== undefined && !element.isDeleted
    return isShown && typeof element.frameId === 'string' ? element.frameId : null
  }
  const id = withoutEnd(changed.keys(), frameOf)
  if (id === undefined) return
  const message = `The frame ${JSON.stringify(id)} would contain itself, directly or through other frames.`
  throw refuse('invalid_request_body', { param, message })
}

function overLimit(message: string): Error {
  return refuse('resource_conflict', { param: 'elements', message })
}
