/** Fills in public forms as a browser does: loads the page, then sends its fields. */
import type { Reply } from './call.ts'

/** A client that signs in nowhere: `call` of a world or of a server. */
export type Send = (method: string, path: string, options?: SentOptions) => Promise<Reply>

interface SentOptions {
  readonly raw?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The key in a loaded page. */
export function pageKeyOf({ text }: Pick<Reply, 'text'>): string {
  const [, key] = /name="page" value="([^"]*)"/.exec(text) ?? []
  if (key === undefined) throw new Error(`The page has no form: ${text.slice(0, 500)}`)
  return key
}

/** Sends answers by the keys of their fields. */
export async function sendForm(
  send: Send,
  path: string,
  page: string,
  answers: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const named = Object.entries(answers).map(([key, value]) => [`answer_${key}`, value])
  const raw = new URLSearchParams([['page', page], ...named, ...Object.entries(more)]).toString()
  return await send('POST', path, { raw, headers: { 'content-type': 'application/x-www-form-urlencoded' } })
}
