/**
 * Answers to guests: the objects of an answer as the guest sees them (`declare/noun.ts`). The pipeline applies it to every answer of a
 * handler, so that no operation can forget it.
 */
import type { Reader } from '../../db/store.ts'
import type { Caller } from '../declare/caller.ts'
import { guestViewOf, type PublicObject } from '../declare/noun.ts'

/** The answer of a handler, an object or a list, as the caller sees it. Returns the same object if nothing is left out. */
export async function asCallerSees<Answer extends object>(
  answer: Answer,
  from: { readonly reader: Reader; readonly caller: Caller },
): Promise<Answer> {
  if (from.caller.guest === null) return answer
  const { data } = answer as { data?: unknown }
  if (!Array.isArray(data)) return (await viewed([answer], from))[0] as Answer
  const shown = await viewed(data, from)
  return shown.every((each, i) => each === data[i]) ? answer : { ...answer, data: shown }
}

async function viewed(
  objects: readonly object[],
  from: { readonly reader: Reader; readonly caller: Caller },
): Promise<object[]> {
  const { guest } = from.caller
  const shown = [...objects]
  if (guest === null) return shown
  const places = Map.groupBy(objects.keys(), (i) => String((objects[i] as Partial<PublicObject>).object))
  for (const [object, indexes] of places) {
    const view = guestViewOf(object)
    // Grouped by their kind, so these are objects of the view's noun.
    const seen = await view?.(
      indexes.map((i) => objects[i] as PublicObject),
      guest,
      from,
    )
    for (const [n, i] of indexes.entries()) shown[i] = seen?.[n] ?? (objects[i] as object)
  }
  return shown
}
