/** Faults planted in second factors, each with the test in `server/test/console/second-factor.test.ts` that has to notice it. */
import type { Guard } from './guards.ts'
import { fault, replace } from './planted-fault.ts'

const session = 'server/src/console/sessions/session.ts'
const tokens = 'server/src/api/request/session-credentials.ts'
const queries = 'server/src/console/second-factor/queries.ts'
const rule = 'server/src/console/second-factor/require.ts'
const remaining = 'server/src/console/second-factor/remaining.ts'
const openid = 'server/src/egress/openid-provider.ts'
const prove = 'server/src/console/second-factor/prove.ts'
const answer = 'server/src/console/answer.ts'
const own = 'server/src/console/second-factor/own-proof.ts'
const sessions = 'server/src/console/sessions/queries.ts'

export const second_factor_faults: readonly Guard[] = [
  [
    'cannot be replaced by a person who knows only the password',
    fault('another_factor', 'a session that has to prove a factor may set up another one', 1, [
      replace(session, "(exists ? 'verify' : 'set_up')", "'set_up'"),
      replace(session, 'return !exists || provedTo === proved_here', 'return !exists || provedTo !== undefined'),
    ]),
  ],
  [
    'of an app is asked for after the password in every new session, and its code is accepted once',
    fault('code_again', 'a code is accepted again', 1, [
      replace(queries, "    .where('last_step', '<', p('step')),", "    .where('last_step', '<=', p('step')),"),
    ]),
  ],
  [
    'is replaced by a recovery code, once each; new ones end the earlier ones',
    fault('recovery_again', 'a recovery code is not used up', 1, [
      replace(prove, 'tx.run(deleteRecoveryCode', 'tx.run(updateSecondFactor'),
      replace(
        prove,
        '{ account, digest: digestOfCode(services.sealer, account, typed) }',
        '{ id: session.id, now: 1, provider: null }',
      ),
    ]),
  ],
  [
    'that is required holds at once for sessions, tokens and streams from before, and keys go on',
    fault('old_tokens', 'tokens from before go on without a second factor', 1, [
      replace(tokens, "eb('organizations.second_factor_required', '=', 0)", "eb('sessions.created', '>', 0)"),
    ]),
  ],
  [
    'is required by an organization only after the person who turns it on has proved one',
    fault('locked_out', 'a person without a second factor may require it', 1, [
      replace(rule, 'session.secondFactor.provedTo === null', 'session.account === null'),
    ]),
  ],
  [
    'that is the last one cannot be removed while an organization requires it',
    fault('last_removed', 'the last second factor can be removed', 1, [
      replace(remaining, 'if (isLeft || !isOwn) return', 'if (isLeft || isOwn) return'),
    ]),
  ],
  [
    'counts if the ID token says so by amr or a configured acr, and by the setting',
    fault('any_amr', 'every method at a provider counts', 1, [
      replace(openid, "amr.includes('mfa')", 'amr.length > 0'),
    ]),
  ],
  [
    'does not count in an organization that the provider does not belong to',
    fault('foreign_word', 'what a provider says counts in every organization', 1, [
      replace(session, 'secondFactor.provedTo === proved_here ? proved_here : null', 'secondFactor.provedTo'),
    ]),
  ],
  [
    'is not passed by its person’s password in another organization',
    fault('by_password', 'a password changes second factors where none is required', 1, [
      replace(session, 'return !exists || provedTo === proved_here', 'return !exists || provedTo !== undefined'),
      replace(
        own,
        'if (proof !== undefined && proof.second_factor_at',
        'if (proof === undefined || proof.second_factor_at',
      ),
    ]),
  ],
  [
    'is changed only in a session that has proved it here, also where the organization asks for none',
    fault('unasked', 'the proof is asked for only in the transaction of a change', 1, [
      replace(answer, 'endpoint.changes_second_factor) requireOwnProof', 'endpoint.operator) requireOwnProof'),
    ]),
  ],
  [
    'is not changed on the word of a provider',
    fault('by_provider', 'the word of a provider changes second factors', 1, [
      replace(session, 'return !exists || provedTo === proved_here', 'return !exists || provedTo !== null'),
    ]),
  ],
  [
    'that was proved here is not replaced by the word of a provider at a confirmation',
    fault('weakened', 'a confirmation at a provider replaces a proof given here', 1, [
      replace(sessions, "or('second_factor_provider', 'is not', null)", "or('second_factor_at', 'is not', null)"),
    ]),
  ],
  [
    'is the one that was set up first when two sessions of a person set one up at the same time',
    fault('race', 'a set-up that was begun earlier replaces the first one', 1, [
      replace(own, 'if (app !== undefined || (await', 'if (app === null || (await'),
    ]),
  ],
  [
    'does not count in a session any longer when it was removed or replaced',
    fault('outlives', 'a proof outlives its factor', 1, [
      replace(sessions, "    .where('id', '!=', p('except'))", "    .where('id', '=', p('except'))"),
    ]),
  ],
]
