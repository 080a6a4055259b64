import Type from 'typebox'
import { credentialOfSession, scopesOfSession } from '../../api/session-credentials.ts'
import { seconds } from '../../lib/clock.ts'
import { makeCredential } from '../../lib/credential-format.ts'
import { limits } from '../../lib/limits.ts'
import { endpoint } from '../endpoint.ts'
import { body, ModeText } from '../fields.ts'
import { listTokensOf, noteUse, removeOldTokens, removeToken } from './queries.ts'
import { realmOfSession, requireStepUp } from './session.ts'

/**
 * A token for `/v1`, for a quarter of an hour; with `manage`, after a confirmation, one for five minutes that may also
 * delete projects and boards, and in the hands of an admin or owner manage keys. Those handed out before stay good; of too
 * many the oldest ends, whose page then asks for another.
 */
export const issueToken = endpoint('POST token', {
  needs: 'session',
  body: body({ mode: ModeText, manage: Type.Optional(Type.Boolean()) }),
  async handle({ services, session, body: { mode, manage = false }, now }) {
    if (manage) requireStepUp(session, now)
    const { store, sealer } = services
    const life_ms = manage ? limits.session_manage_token_ms : limits.session_token_ms
    const expires_at = Math.min(now + life_ms, session.expiresAt)
    const secret = makeCredential('access_token', mode)
    await store.write('system', async (tx) => {
      tx.write(removeOldTokens, { session: session.id, now })
      const living = await tx.all(listTokensOf, { session: session.id })
      for (const { digest } of living.slice(limits.session_tokens_max - 1)) tx.write(removeToken, { digest })
      tx.write(noteUse, { id: session.id, now })
      tx.insert('session_tokens', {
        digest: sealer.digest(secret),
        organization: session.organization,
        session: session.id,
        realm: realmOfSession(session, mode).realm,
        mode,
        manage: manage ? 1 : 0,
        created: now,
        expires_at,
      })
    })
    return {
      token: secret,
      expires_at: seconds(expires_at),
      scopes: [...scopesOfSession(manage, session.role)],
      mode,
      organization: session.organization,
      credential: credentialOfSession(session.id, mode, manage),
    }
  },
})
