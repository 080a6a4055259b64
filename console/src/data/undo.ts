/**
 * Undo by the server (`POST /v1/undo`): all or nothing, refused with a reason when something else came in between, for a day.
 * Writes of tasks are undone by the ids of their requests; other writes send their own opposite (`write.ts`).
 */
import type { QueryClient } from '@tanstack/react-query'
import { t } from '../language/index.ts'
import { app } from './app-api.ts'
import { applyChanges, isApiObject, mergeObject, remove } from './cache.ts'
import { keys } from './keys.ts'
import { currentMode } from './mode.ts'
import { queryClient } from './query-client.ts'
import type { Mode, OwnChange } from './shapes.ts'
import { clientOf } from './tokens.ts'

/** The most that the API takes at once. */
const requests_max = 20
const stored_name = 'atrium-undone'
const stored_max = 200

/** The requests of one write. */
export class UndoableRequests {
  readonly #ids: string[] = []
  #isOther = false

  readonly note = (path: string, response: Response): void => {
    const id = response.headers.get('x-request-id')
    if (!response.ok) return
    if (id === null || !/^\/v1\/tasks(?:\/[^/]+)?(?:\/(?:move|complete|dependencies))?$/.test(path))
      this.#isOther = true
    else this.#ids.push(id)
  }

  /** Null if the server cannot undo the write. */
  ids(): readonly string[] | null {
    return this.#isOther || this.#ids.length === 0 || this.#ids.length > requests_max ? null : this.#ids
  }
}

interface Context {
  readonly client: QueryClient
  readonly mode: Mode
}

/** Undoes requests and shows the result. Rejects with the refusal. */
export async function undoRequests({ client, mode }: Context, requests: readonly string[]): Promise<void> {
  const call = clientOf(mode).undo.create({ requests: [...requests] })
  const { data, response } = await call.withResponse()
  remember([...requests, ...(response.requestId === null ? [] : [response.requestId])])
  for (const task of data.data) {
    if ('deleted' in task) applyChanges(client, mode, [remove('task', task.id)])
    else if (isApiObject(task)) mergeObject(client, mode, task)
  }
  for (const noun of ['task', 'dependency']) void client.invalidateQueries({ queryKey: keys.lists(mode, noun) })
  void client.invalidateQueries({ queryKey: keys.appAll('GET own-changes') })
}

/** Requests that were undone in this tab, and their undo requests: a further undo continues with the change before them. */
export function undoneRequests(): readonly string[] {
  try {
    return JSON.parse(sessionStorage.getItem(stored_name) ?? '[]') as string[]
  } catch {
    return []
  }
}

function remember(requests: readonly string[]): void {
  try {
    sessionStorage.setItem(stored_name, JSON.stringify([...undoneRequests(), ...requests].slice(-stored_max)))
  } catch {
    // Without storage, the list shows them as if they could be undone; the server then gives the reason.
  }
}

/** Undoes the latest own change of the last day that is not undone yet. Returns it; null without one. */
export async function undoLatest(): Promise<OwnChange | null> {
  const mode = currentMode()
  const { data } = await app('GET own-changes', { query: { mode } })
  const undone = new Set(undoneRequests())
  const latest = data.find(({ request }) => !undone.has(request))
  if (latest === undefined) return null
  if (!latest.is_undoable) throw new Error(t('The latest change was a deletion, which is final.'))
  await undoRequests({ client: queryClient, mode }, [latest.request])
  return latest
}
