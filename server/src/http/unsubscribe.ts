/**
 * Ends a kind of mail by the signed link in it, without signing in: mail programs send the POST of RFC 8058, browsers get a page with
 * a button, because programs that check links open them by GET.
 */
import { refuse } from '../api/declare/errors.ts'
import { refuseUnrouted } from '../api/pipeline.ts'
import type { Services } from '../api/services.ts'
import { commitSystemChange } from '../api/write/system-change.ts'
import { preferencesOf, storePreferences } from '../notifications/preferences.ts'
import { endMail, readUnsubscribe, type Unsubscription } from '../notifications/unsubscribe.ts'
import { requireRealms } from '../resources/organizations/shared/queries.ts'
import type { Handler } from './exchange.ts'
import type { Router } from './router.ts'

const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
}

const page = (text: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Atrium</title><h1>Atrium</h1>${text}</html>`

const question = page(
  '<p>Do you want no more mail like this?</p><form method="post"><button>No more mail like this</button></form>',
)
const done = page('<p>You get no more mail like this. Your settings in Atrium say what is sent.</p>')

export function addUnsubscribe(router: Router<Handler>, services: Services): void {
  const answering =
    (act: (link: Unsubscription) => Promise<string>): Handler =>
    async (request) => {
      const link = readUnsubscribe(services.sealer, request.rawQuery)
      if (link === null) {
        const refusal = refuse('resource_not_found', { message: 'There is nothing at this link.' })
        return refuseUnrouted(services, request, refusal)
      }
      return { status: 200, headers, body: await act(link) }
    }
  router.add(
    'GET',
    '/mail/unsubscribe',
    answering(async () => question),
  )
  router.add(
    'POST',
    '/mail/unsubscribe',
    answering(async (link) => {
      await unsubscribe(services, link)
      return done
    }),
  )
}

async function unsubscribe(services: Services, { organization, user, kind }: Unsubscription): Promise<void> {
  const realms = await requireRealms(services.store, organization)
  const actor = { type: 'user', id: user } as const
  const change = { organization, realms, action: 'preferences.update', actor }
  await commitSystemChange(services, change, async ({ tx, now, note }) => {
    const before = await preferencesOf(tx, organization, user)
    const after = endMail(before, kind)
    if (JSON.stringify(after) === JSON.stringify(before)) return
    storePreferences(tx, { organization, user, now }, after)
    note({ target: { object: 'user', id: user } })
  })
}
