/** All objects of a list with ID cursors. */
import type { Api } from './api.ts'

type ListedObject = Readonly<Record<string, unknown>>

export async function* fetchAll(
  api: Api,
  path: string,
  query: Readonly<Record<string, string>> = {},
): AsyncGenerator<ListedObject> {
  for (let cursor: string | null = null; ; ) {
    const more: Record<string, string> = cursor === null ? {} : { starting_after: cursor }
    const text = new URLSearchParams({ limit: '100', ...query, ...more })
    const reply = await api.send({ method: 'GET', path: `${path}?${text}` })
    if (reply.status !== 200) throw api.failure(reply)
    const page = reply.body as { data: ListedObject[]; has_more: boolean; next_cursor: string | null }
    yield* page.data
    if (!page.has_more || page.next_cursor === null || page.next_cursor === cursor) return
    cursor = page.next_cursor
  }
}
