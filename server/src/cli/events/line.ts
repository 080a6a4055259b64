/** An event as one line for people. */
import { plain } from '../api/output.ts'
import { time } from '../print.ts'

export interface ShownEvent {
  readonly id: string
  readonly type: string
  readonly created: number
  readonly sequence: number
  readonly workspace: string | null
  readonly actor: { readonly type: string; readonly id: string | null }
  readonly data: { readonly object: Readonly<Record<string, unknown>>; readonly previous_attributes: object | null }
}

/** Time, type, what it happened to, what changed, by whom, id. Texts are shortened and cannot move the cursor. */
export function lineOf({ id, type, created, actor, data }: ShownEvent): string {
  const { object, previous_attributes } = data
  const names = [object.key, object.title ?? object.name].filter((text) => typeof text === 'string')
  const what = plain(names.length === 0 ? String(object.id) : names.join(' ')).slice(0, 80)
  const changed = previous_attributes === null ? '' : ` (${Object.keys(previous_attributes).join(', ')})`
  const who = [actor.type, actor.id].filter((text) => text !== null).join(' ')
  return [time(created), type, `${what}${changed}`, who, id].join('  ')
}
