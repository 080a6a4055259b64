/** How people sign in to an application of the organization: its redirect URIs and its secret. */
import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import type { OauthClientRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { commitAsUser } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body, ModeText } from '../fields.ts'
import { findClient, updateRedirectUris, updateSecret } from '../oauth/queries.ts'
import { RedirectUris, requireRedirectUris } from '../oauth/registered.ts'
import { newClientSecret } from '../oauth/secrets.ts'
import { realmOfSession } from '../sessions/session.ts'
import { requireApplication, showApplications } from './application.ts'

/** Replaces the redirect URIs. Access that people have given stays. */
export const updateApplication = endpoint('PATCH applications/{id}', {
  needs: 'step_up',
  role: 'admin',
  body: body({ mode: Type.Optional(ModeText), redirect_uris: RedirectUris }),
  async handle(context) {
    const { session, params, body: sent } = context
    const dataSet = realmOfSession(session, sent.mode ?? 'live')
    requireRedirectUris(sent.redirect_uris, 'redirect_uris')
    const change = { action: 'applications.update', realms: [dataSet] }
    return await commitAsUser(context, change, async ({ tx, now, note }) => {
      const application = await requireApplication(tx, dataSet, params.id ?? '')
      const { id } = await requireClientOf(tx, application.id)
      tx.write(updateRedirectUris, { id, redirect_uris: JSON.stringify(sent.redirect_uris), now })
      note({ target: { object: 'application', id } })
      const [shown] = await showApplications(tx, dataSet.mode, [application], now)
      return shown as NonNullable<typeof shown>
    })
  },
})

/** Gives a confidential application a new secret. The one before is invalid at once. */
export const rotateApplicationSecret = endpoint('POST applications/{id}/secret', {
  needs: 'step_up',
  role: 'admin',
  body: body({ mode: Type.Optional(ModeText) }),
  async handle(context) {
    const { services, session, params, body: sent } = context
    const dataSet = realmOfSession(session, sent.mode ?? 'live')
    const change = { action: 'applications.rotate_secret', realms: [dataSet] }
    return await commitAsUser(context, change, async ({ tx, now, note }) => {
      const application = await requireApplication(tx, dataSet, params.id ?? '')
      const { id, kind } = await requireClientOf(tx, application.id)
      if (kind !== 'confidential')
        throw refuse('resource_conflict', { param: 'id', message: 'A public application has no secret.' })
      const { secret, hint } = newClientSecret()
      tx.write(updateSecret, { id, digest: services.sealer.digest(secret), hint, now })
      note({ target: { object: 'application', id } })
      return { secret }
    })
  },
})

async function requireClientOf(reader: Reader, id: string): Promise<OauthClientRow> {
  const client = await reader.first(findClient, { id })
  if (client !== undefined) return client
  const message = 'People cannot sign in to this application: it was created without redirect URIs.'
  throw refuse('resource_conflict', { param: 'id', message })
}
