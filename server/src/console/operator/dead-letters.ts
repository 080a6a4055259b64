/**
 * The mails and notices of browsers that were given up, over all organizations. An operator sees for whom and why, but nothing that
 * an organization has written: no text, no name, and no address of people in other organizations (docs/decisions/roles.md).
 */
import { refuse } from '../../api/declare/errors.ts'
import { idParameter } from '../../api/declare/parameters.ts'
import { commitSystemChange } from '../../api/write/system-change.ts'
import { seconds } from '../../lib/clock.ts'
import { type DeadMail, deadMails, reviveDeadMail } from '../../resources/notifications/shared/dead-mails.ts'
import { requireRealms } from '../../resources/organizations/shared/queries.ts'
import { authorOf } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { console_limits } from '../limits.ts'
import type { DeadLetter } from '../shapes.ts'

/** Lists dead letters, newest first, from the newest thousand of each kind. A page after one that was sent again starts over. */
export const listDeadLetters = endpoint('GET operator/dead-letters', {
  needs: 'session',
  operator: true,
  query: { cursor: idParameter('next_cursor of the previous page') },
  async handle({ services, session, query }) {
    const all = await deadMails(services.store.reader('system'))
    const from = query.cursor === undefined ? 0 : all.findIndex(({ id }) => id === query.cursor) + 1
    const page = all.slice(from, from + console_limits.console_page)
    const hasMore = from + page.length < all.length
    return {
      data: page.map((mail) => show(mail, session.organization)),
      next_cursor: hasMore ? (page.at(-1)?.id ?? null) : null,
      total: all.length,
    }
  },
})

/** Makes a dead letter due again. The log of its organization names the operator. */
export const retryDeadLetter = endpoint('POST operator/dead-letters/{id}/retry', {
  needs: 'session',
  operator: true,
  async handle(context) {
    const { services, session, params } = context
    const { id = '' } = params
    const mail = (await deadMails(services.store.reader('system'))).find((each) => each.id === id)
    if (mail === undefined) {
      const message = 'There is no such dead letter. It may have been sent again already.'
      throw refuse('resource_not_found', { param: 'id', message })
    }
    const { organization, realm } = mail
    const realms = (await requireRealms(services.store, organization)).filter((each) => each.realm === realm)
    const change = { organization, realms, action: 'dead_letters.retry', ...authorOf(context, session.user) }
    await commitSystemChange(services, change, async ({ tx, now, note }) => {
      reviveDeadMail(tx, mail, now)
      note({ target: { object: mail.kind === 'push' ? 'push' : 'mail', id } })
    })
    return { id }
  },
})

function show({ id, kind, organization, user, attempts, error, updated }: DeadMail, own: string): DeadLetter {
  const reason = organization === own || error === null ? error : withoutAddresses(error)
  return { id, kind, organization, user, attempts, reason, given_up_at: seconds(updated) }
}

/** The answer of a mail server without the words that hold an address. */
function withoutAddresses(answer: string): string {
  return answer
    .split(' ')
    .map((word) => (word.includes('@') ? '(address)' : word))
    .join(' ')
}
