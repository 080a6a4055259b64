import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { findById } from '../../api/declare/noun.ts'
import type { Scope } from '../../api/declare/scopes.ts'
import { limits } from '../../api/limits.ts'
import { lastUses } from '../../api/request/credential-uses.ts'
import { millis, seconds } from '../../lib/clock.ts'
import { issueCredential } from '../../resources/api_keys/issue.ts'
import { eraseKey } from '../../resources/api_keys/queries.ts'
import { commitAsUser } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body, ModeText, modeParameter } from '../fields.ts'
import { console_limits } from '../limits.ts'
import { realmOfSession } from '../sessions/session.ts'
import { listActiveTokens, requireApplication } from './application.ts'

const findCredential = findById('credentials')

/** Lists the application's active tokens. */
export const listTokens = endpoint('GET applications/{id}/tokens', {
  needs: 'session',
  role: 'admin',
  query: { mode: modeParameter },
  async handle({ services, session, params, query, now }) {
    const { realm } = realmOfSession(session, query.mode ?? 'live')
    const reader = services.store.reader({ organization: session.organization, realms: [realm] })
    const { id: application } = await requireApplication(reader, { realm }, params.id ?? '')
    const rows = await reader.all(listActiveTokens, { realm, application, now })
    const ids = rows.map(({ id }) => id)
    const uses = await lastUses(reader, realm, ids)
    const used = rows.map((row) => ({ ...row, last_used_at: uses.get(row.id) ?? row.last_used_at }))
    return {
      data: used.map(({ id, created, expires_at, last_used_at, hint }) => ({
        id,
        created: seconds(created),
        expires_at: expires_at === null ? null : seconds(expires_at),
        last_used_at: last_used_at === null ? null : seconds(last_used_at),
        hint,
      })),
    }
  },
})

/** Issues a token with the application's scopes. Only this answer contains its secret. */
export const issueApplicationToken = endpoint('POST applications/{id}/tokens', {
  needs: 'step_up',
  role: 'admin',
  body: body({
    mode: Type.Optional(ModeText),
    /** Seconds; default one hour. */
    expires_in: Type.Optional(Type.Integer({ minimum: 60, maximum: limits.credential_life_seconds_max })),
  }),
  async handle(context) {
    const { services, session, params, body: sent } = context
    const dataSet = realmOfSession(session, sent.mode ?? 'live')
    return await commitAsUser(
      context,
      { action: 'access_tokens.create', realms: [dataSet] },
      async ({ tx, now, note }) => {
        const application = await requireApplication(tx, dataSet, params.id ?? '')
        const active = await tx.all(listActiveTokens, { realm: dataSet.realm, application: application.id, now })
        if (active.length >= console_limits.application_tokens_max) {
          const message = `The application has the maximum of ${console_limits.application_tokens_max} active tokens. Revoke one first.`
          throw refuse('resource_conflict', { message })
        }
        const expiresAt = now + (sent.expires_in === undefined ? limits.access_token_ms : millis(sent.expires_in))
        const { row, secret } = issueCredential(
          tx,
          services.sealer,
          {
            kind: 'access_token',
            organization: session.organization,
            ...dataSet,
            name: application.name,
            scopes: JSON.parse(application.scopes) as Scope[],
            owner: { type: 'application', id: application.id },
            expiresAt,
          },
          now,
        )
        note({ target: { object: 'access_token', id: row.id } })
        return { id: row.id, secret, expires_at: seconds(expiresAt) }
      },
    )
  },
})

/** Revokes a token. */
export const revokeToken = endpoint('DELETE tokens/{id}', {
  needs: 'step_up',
  role: 'admin',
  body: body({ mode: Type.Optional(ModeText) }),
  async handle(context) {
    const { services, session, params, body: sent } = context
    const dataSet = realmOfSession(session, sent?.mode ?? 'live')
    const revoked = await commitAsUser(
      context,
      { action: 'access_tokens.delete', realms: [dataSet] },
      async (change) => {
        const { tx, now, note } = change
        const row = await tx.first(findCredential, { realm: dataSet.realm, id: params.id ?? '' })
        if (row === undefined || row.kind !== 'access_token' || row.deleted_at !== null) {
          throw refuse('resource_not_found', { param: 'id', message: `No access token has the id "${params.id}".` })
        }
        eraseKey(tx, row, now)
        note({ target: { object: 'access_token', id: row.id } })
        return { id: row.id, object: 'access_token', deleted: true } as const
      },
    )
    services.credentials.forget()
    return revoked
  },
})
