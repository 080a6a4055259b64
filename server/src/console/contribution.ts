/** What a person contributes to one of the organization's data sets: where it goes, about what, by whom, and its fields. */
import type { Mode } from '../api/caller.ts'
import type { Request } from '../api/request.ts'
import type { Services } from '../api/services.ts'
import type { Author } from '../api/system-change.ts'
import { authorOf } from './author.ts'
import { type OpenSession, placeOfSession } from './sessions/session.ts'

interface Contributing<B> {
  readonly services: Services
  readonly request: Request
  readonly session: OpenSession
  readonly params: Readonly<Record<string, string>>
  /** Its `mode` names the data set: the live one unless said otherwise. */
  readonly body: B
}

interface Contribution<B> {
  readonly place: ReturnType<typeof placeOfSession>
  readonly author: Author
  /** What the path names; empty where it names nothing yet. */
  readonly id: string
  readonly fields: Omit<B, 'mode'>
}

export function contributionOf<B extends { readonly mode?: Mode }>(context: Contributing<B>): Contribution<B> {
  const { session, params, body } = context
  const { mode, ...fields } = body
  return {
    place: placeOfSession(session, mode),
    author: authorOf(context, session.user),
    id: params.id ?? '',
    fields,
  }
}
