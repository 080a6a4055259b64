/** The answers to the requests that `public/first-requests.js` sends while the program is loading. */
import { currentSession, onSessionChange } from './session-store.ts'

declare global {
  /** By method, path and body; those of `/v1` by the mode, too. */
  var firstAnswers: Map<string, Promise<Response | undefined>> | undefined
}

/** An answer that is not taken by then is out of date. */
const fresh_ms = 15_000

// They belong to the first session of the page.
onSessionChange(() => {
  if (currentSession() !== undefined) globalThis.firstAnswers = undefined
})

/** The answer to a request that is under way already; each is taken once. `undefined`: it has to be sent. */
export async function takeFirstAnswer(
  method: string,
  path: string,
  body: string | undefined,
): Promise<Response | undefined> {
  if (globalThis.firstAnswers === undefined) return undefined
  if (performance.now() > fresh_ms) globalThis.firstAnswers = undefined
  const name = [method, path, ...(body === undefined ? [] : [body])].join(' ')
  const answer = globalThis.firstAnswers?.get(name)
  globalThis.firstAnswers?.delete(name)
  return await answer?.catch(() => undefined)
}
