import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { scopes } from '../../api/declare/scopes.ts'
import { OneOf, Title } from '../../api/declare/shapes.ts'
import { updateQuery } from '../../db/query.ts'
import type { ApplicationRow } from '../../db/schema.ts'
import { newId } from '../../lib/ids.ts'
import { eraseKey } from '../../resources/api_keys/queries.ts'
import { commitAsUser } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body, ModeText, modeParameter } from '../fields.ts'
import { console_limits } from '../limits.ts'
import { deleteClientOf, insertClient, requireSignIn, SignIn } from '../oauth/registered.ts'
import { realmOfSession } from '../sessions/session.ts'
import { listActiveTokens, listApplicationRows, requireApplication, showApplications } from './application.ts'

export const listApplications = endpoint('GET applications', {
  needs: 'session',
  role: 'admin',
  query: { mode: modeParameter },
  async handle({ services, session, query, now }) {
    const { realm, mode } = realmOfSession(session, query.mode ?? 'live')
    const reader = services.store.reader({ organization: session.organization, realms: [realm] })
    return { data: await showApplications(reader, mode, await reader.all(listApplicationRows, { realm }), now) }
  },
})

export const createApplication = endpoint('POST applications', {
  needs: 'step_up',
  role: 'admin',
  body: body({
    mode: Type.Optional(ModeText),
    name: Title,
    sign_in: Type.Optional(SignIn),
    scopes: Type.Array(OneOf(...scopes), {
      minItems: 1,
      maxItems: scopes.length,
      uniqueItems: true,
    }),
  }),
  async handle(context) {
    const { services, session, body: sent } = context
    const dataSet = realmOfSession(session, sent.mode ?? 'live')
    if (sent.sign_in !== undefined) requireSignIn(sent.sign_in, 'sign_in.redirect_uris')
    return await commitAsUser(
      context,
      { action: 'applications.create', realms: [dataSet] },
      async ({ tx, now, note }) => {
        const existing = await tx.all(listApplicationRows, { realm: dataSet.realm })
        if (existing.length >= console_limits.applications_max) {
          const message = `The organization has the maximum of ${console_limits.applications_max} applications. Delete one first.`
          throw refuse('resource_conflict', { message })
        }
        const row: ApplicationRow = {
          realm: dataSet.realm,
          id: newId('app', now),
          created: now,
          updated: now,
          revision: 1,
          deleted_at: null,
          organization: session.organization,
          name: sent.name,
          scopes: JSON.stringify(sent.scopes),
        }
        tx.insert('applications', row)
        const secret =
          sent.sign_in === undefined ? null : insertClient(tx, services.sealer, row, dataSet.mode, sent.sign_in)
        note({ target: { object: 'application', id: row.id } })
        const [shown] = await showApplications(tx, dataSet.mode, [row], now)
        return { ...(shown as NonNullable<typeof shown>), secret }
      },
    )
  },
})

/** Deletes an application, revokes its tokens and ends the access that people have given it. */
export const deleteApplication = endpoint('DELETE applications/{id}', {
  needs: 'step_up',
  role: 'admin',
  body: body({ mode: Type.Optional(ModeText) }),
  async handle(context) {
    const { services, session, params, body: sent } = context
    const dataSet = realmOfSession(session, sent?.mode ?? 'live')
    const deleted = await commitAsUser(
      context,
      { action: 'applications.delete', realms: [dataSet] },
      async (change) => {
        const { tx, now, note } = change
        const { realm, id } = await requireApplication(tx, dataSet, params.id ?? '')
        for (const token of await tx.all(listActiveTokens, { realm, application: id, now })) eraseKey(tx, token, now)
        await deleteClientOf(tx, id, now)
        tx.write(updateQuery('applications', ['deleted_at']), { realm, id, deleted_at: now })
        note({ target: { object: 'application', id } })
        return { id, object: 'application', deleted: true } as const
      },
    )
    services.credentials.forget()
    return deleted
  },
})
