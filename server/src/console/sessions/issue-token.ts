import Type from 'typebox'
import { makeCredential } from '../../api/declare/credential-format.ts'
import { credentialOfSession, scopesOfSession } from '../../api/request/session-credentials.ts'
import { seconds } from '../../lib/clock.ts'
import { endpoint } from '../endpoint.ts'
import { body, ModeText } from '../fields.ts'
import { console_limits } from '../limits.ts'
import { deleteExpiredTokens, deleteSessionToken, listSessionTokens, updateLastSeen } from './queries.ts'
import { realmOfSession, requireStepUp } from './session.ts'

/**
 * Issues a token for `/v1`, valid for 15 minutes. With `manage`, after a step-up, the token is valid for 5 minutes, may
 * delete projects, portfolios and boards, and lets an admin or owner manage keys. Earlier tokens stay valid; over the
 * maximum the oldest is deleted, and its page requests a new one.
 */
export const issueToken = endpoint('POST token', {
  needs: 'session',
  guests: true,
  body: body({ mode: ModeText, manage: Type.Optional(Type.Boolean()) }),
  async handle({ services, session, body: { mode, manage = false }, now }) {
    if (manage) requireStepUp(session, now)
    const { store, sealer } = services
    const life_ms = manage ? console_limits.session_manage_token_ms : console_limits.session_token_ms
    const expires_at = Math.min(now + life_ms, session.expiresAt)
    const secret = makeCredential('access_token', mode)
    await store.write('system', async (tx) => {
      tx.write(deleteExpiredTokens, { session: session.id, now })
      const active = await tx.all(listSessionTokens, { session: session.id })
      for (const { digest } of active.slice(console_limits.session_tokens_max - 1))
        tx.write(deleteSessionToken, { digest })
      tx.write(updateLastSeen, { id: session.id, now })
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
