import Type from 'typebox'
import { refuse } from '../../api/errors.ts'
import { scopes } from '../../api/scopes.ts'
import { OneOf, Title } from '../../api/shapes.ts'
import { updateQuery } from '../../db/query.ts'
import type { ApplicationRow } from '../../db/schema.ts'
import { newId } from '../../lib/ids.ts'
import { limits } from '../../lib/limits.ts'
import { eraseKey } from '../../resources/api_keys/queries.ts'
import { commitBy } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body, ModeText, modeParameter } from '../fields.ts'
import { realmOfSession } from '../sessions/session.ts'
import { listRows, livingTokens, requireApplication, showApplications } from './application.ts'

export const listApplications = endpoint('GET applications', {
  needs: 'session',
  role: 'admin',
  query: { mode: modeParameter },
  async handle({ services, session, query, now }) {
    const { realm, mode } = realmOfSession(session, query.mode ?? 'live')
    const reader = services.store.reader({ organization: session.organization, realms: [realm] })
    return { data: await showApplications(reader, mode, await reader.all(listRows, { realm }), now) }
  },
})

export const createApplication = endpoint('POST applications', {
  needs: 'step_up',
  role: 'admin',
  body: body({
    mode: Type.Optional(ModeText),
    name: Title,
    scopes: Type.Array(OneOf(...scopes), {
      minItems: 1,
      maxItems: scopes.length,
      uniqueItems: true,
    }),
  }),
  async handle(context) {
    const { session, body: sent } = context
    const place = realmOfSession(session, sent.mode ?? 'live')
    return await commitBy(context, { action: 'applications.create', realms: [place] }, async ({ tx, now, note }) => {
      const standing = await tx.all(listRows, { realm: place.realm })
      if (standing.length >= limits.applications_max) {
        const message = `There are ${limits.applications_max} applications; delete one first.`
        throw refuse('resource_conflict', { message })
      }
      const row: ApplicationRow = {
        realm: place.realm,
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
      note({ target: { object: 'application', id: row.id } })
      const [shown] = await showApplications(tx, place.mode, [row], now)
      return shown as NonNullable<typeof shown>
    })
  },
})

/** Deletes an application with its tokens, which work no more from then on. */
export const deleteApplication = endpoint('DELETE applications/{id}', {
  needs: 'step_up',
  role: 'admin',
  body: body({ mode: Type.Optional(ModeText) }),
  async handle(context) {
    const { services, session, params, body: sent } = context
    const place = realmOfSession(session, sent?.mode ?? 'live')
    const deleted = await commitBy(context, { action: 'applications.delete', realms: [place] }, async (change) => {
      const { tx, now, note } = change
      const { realm, id } = await requireApplication(tx, place, params.id ?? '')
      for (const token of await tx.all(livingTokens, { realm, application: id, now })) eraseKey(tx, token, now)
      tx.write(updateQuery('applications', ['deleted_at']), { realm, id, deleted_at: now })
      note({ target: { object: 'application', id } })
      return { id, object: 'application', deleted: true } as const
    })
    services.credentials.forget()
    return deleted
  },
})
