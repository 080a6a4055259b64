/** What a lane has learned from answers for use in requests: ids by prefix, cursors, tags, tokens. */
import type { Dice } from '../dice.ts'

const id = /"((?:[a-z]{3,6})_[0-9A-HJKMNP-TV-Z]{26})"/g
const cursor = /"next_cursor":"([^"]+)"/g
const token = /"preview_token":"([^"]+)"/g

/** Nested objects: the field with the parent's id, the field with their own, and the end of their path. */
const places: Readonly<Record<string, { readonly outer: string; readonly held?: string; readonly end: string }>> = {
  comment: { outer: 'task', end: 'comments/{id}' },
  dependency: { outer: 'from', end: 'dependencies/{id}' },
  board_item: { outer: 'board', end: 'items/{item_id}' },
  board_member: { outer: 'board', held: 'user', end: 'members/{user_id}' },
  automation_preview: { outer: 'automation_flow', held: 'preview_token', end: 'activate' },
}

/** Of each kind the first values are kept, which belong together, and the newest. */
const first_kept = 8
const kept_max = 24

export class Known {
  private readonly ids = new Map<string, string[]>()
  private readonly cursors: string[] = []
  private readonly tokens: string[] = []
  private readonly tags: string[] = []

  private readonly unnamed: ReadonlySet<string>

  /** Pairs of parent and nested id, by the end of the path. */
  private readonly inner = new Map<string, [outer: string, id: string][]>()

  /** `unnamed`: ids that no request may use, such as the lane's own keys, which it would delete. */
  constructor(unnamed: readonly string[]) {
    this.unnamed = new Set(unnamed)
  }

  /** Learns from an answer. */
  learn(text: string, etag: string | undefined): void {
    for (const [, found] of text.matchAll(id)) this.keepId(found as string)
    for (const [, found] of text.matchAll(cursor)) keep(this.cursors, found as string)
    for (const [, found] of text.matchAll(token)) keep(this.tokens, found as string)
    if (etag !== undefined) keep(this.tags, etag)
  }

  /** Learns the parent of a shown object. */
  learnPlace(shown: unknown): void {
    const fields = (shown ?? {}) as Record<string, unknown>
    const place = places[String(fields.object)]
    if (place === undefined) return
    const [outer, held] = [fields[place.outer], fields[place.held ?? 'id']]
    if (typeof outer !== 'string' || typeof held !== 'string') return
    const list = this.inner.get(place.end) ?? []
    this.inner.set(place.end, list)
    list.push([outer, held])
    if (list.length > kept_max) list.shift()
  }

  /** The ids for a nested path, usually of one pair; newer ones more often. */
  nested(dice: Dice, path: string): readonly string[] | null {
    const list = this.inner.get(path.split('/').slice(4).join('/'))
    if (list === undefined || dice.chance(0.2)) return null
    return dice.chance(0.5) ? (list.at(-1) ?? null) : dice.pick(list)
  }

  keepId(found: string): void {
    if (this.unnamed.has(found)) return
    const prefix = found.slice(0, found.indexOf('_'))
    const list = this.ids.get(prefix) ?? []
    this.ids.set(prefix, list)
    keep(list, found)
  }

  /** An id with one of these prefixes, or any id if none is known. */
  id(dice: Dice, prefixes: readonly string[]): string {
    const lists = prefixes.flatMap((prefix) => this.ids.get(prefix) ?? [])
    if (lists.length > 0) return dice.pick(dice.chance(0.6) ? lists.slice(0, 3) : lists)
    return dice.pick([...this.ids.values()].flat())
  }

  cursor(dice: Dice): string {
    return this.cursors.length === 0 ? 'AAAA' : dice.pick(this.cursors)
  }

  /** A cursor that is an id. */
  idCursor(dice: Dice): string {
    const found = this.cursors.filter((each) => /^[a-z]{3,6}_/.test(each))
    return found.length === 0 ? this.id(dice, []) : dice.pick(found)
  }

  token(dice: Dice): string {
    const newest = this.tokens.at(-1)
    if (newest === undefined) return 'prv_none'
    return dice.chance(0.6) ? newest : dice.pick(this.tokens)
  }

  tag(dice: Dice): string {
    return this.tags.length === 0 ? '"1"' : dice.pick(this.tags)
  }
}

function keep(list: string[], found: string): void {
  if (list.at(-1) === found) return
  list.push(found)
  if (list.length > kept_max) list.splice(first_kept, 1)
}
