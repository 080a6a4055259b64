/** Reads a write by the signed-in user to one realm: the realm, the author, the target's id and the fields. */
import type { Mode } from '../api/declare/caller.ts'
import type { Author } from '../api/write/system-change.ts'
import { authorOf, type RequestContext } from './author.ts'
import { type ActiveSession, dataSetOf } from './sessions/session.ts'

interface ContributionContext<B> extends RequestContext {
  readonly session: ActiveSession
  readonly params: Readonly<Record<string, string>>
  /** `mode` names the realm; the default is live. */
  readonly body: B
}

interface Contribution<B> {
  readonly dataSet: ReturnType<typeof dataSetOf>
  readonly author: Author
  /** The id in the path; empty on create. */
  readonly id: string
  readonly fields: Omit<B, 'mode'>
}

export function readContribution<B extends { readonly mode?: Mode }>(context: ContributionContext<B>): Contribution<B> {
  const { session, params, body } = context
  const { mode, ...fields } = body
  return {
    dataSet: dataSetOf(session, mode),
    author: authorOf(context, session.user),
    id: params.id ?? '',
    fields,
  }
}
