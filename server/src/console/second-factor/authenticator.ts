/**
 * The authenticator app of an account. A set-up stores nothing until its first code is right: the secret travels sealed, with
 * its account and its end.
 */
import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import type { Services } from '../../api/services.ts'
import { authenticatorContext } from '../../db/secret-key/sealed-values.ts'
import { SealBroken } from '../../lib/seal.ts'
import { countAttempt, forgiveAttempt } from '../accounts/throttle.ts'
import { commitAsUser } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body } from '../fields.ts'
import { console_limits } from '../limits.ts'
import { addressOf } from '../origins.ts'
import { evictSessions } from '../sessions/lifecycle.ts'
import { forgetProofs, listSessionsOfAccount, updateSecondFactor } from '../sessions/queries.ts'
import type { ActiveSession } from '../sessions/session.ts'
import { SecondFactorCode } from './code.ts'
import { lockSecondFactor } from './own-proof.ts'
import { deleteAuthenticator, findAuthenticator } from './queries.ts'
import { replaceRecoveryCodes } from './recovery-codes.ts'
import { forgetWhatIsLeft, requireAnotherFactor } from './remaining.ts'
import { newAuthenticator, stepOfCode } from './totp.ts'

/** Starts a set-up: a new secret for the app. */
export const createAuthenticatorOptions = endpoint('POST second-factor/authenticator/options', {
  needs: 'step_up',
  guests: true,
  before_second_factor: ['set_up'],
  changes_second_factor: true,
  body: body({}),
  async handle({ services, session, now }) {
    const { secret, url } = await newAuthenticator(session.email)
    const until = now + console_limits.authenticator_set_up_ms
    return { secret, url, set_up: services.sealer.seal(`${until} ${secret}`, contextOf(session)) }
  },
})

function contextOf({ account }: ActiveSession): string {
  return `authenticator set-up ${account}`
}

/**
 * Sets the app up with its first code, in place of one that the account has. The account's other sessions are asked for a code from
 * then on, also those that have proved an earlier factor here. Only this answer has the recovery codes, which replace earlier ones.
 */
export const createAuthenticator = endpoint('POST second-factor/authenticator', {
  needs: 'step_up',
  guests: true,
  before_second_factor: ['set_up'],
  changes_second_factor: true,
  body: body({
    set_up: Type.String({ minLength: 1, maxLength: 500 }),
    code: SecondFactorCode,
  }),
  async handle(context) {
    const { services, request, session, body: sent, now } = context
    const { account } = session
    const address = addressOf(request, services.settings)
    const attempt = { address, email: null, secondFactorOf: account }
    await countAttempt(services, attempt)
    const secret = openSetUp(services, session, sent.set_up, now)
    const step = await stepOfCode(secret, sent.code.replace(/\s/g, ''), now)
    if (step === null) {
      const message = 'The code is wrong. Enter the newest one, and check that the clock of the phone is right.'
      throw refuse('invalid_request_body', { param: 'code', message })
    }
    const change = { action: 'authenticators.create', everywhere: true } as const
    const { codes, others } = await commitAsUser(context, change, async ({ tx, now: at, note }) => {
      await lockSecondFactor(tx, services.sealer, session, at)
      forgiveAttempt(tx, services.sealer, attempt)
      tx.write(deleteAuthenticator, { account })
      const sealed = services.sealer.seal(secret, authenticatorContext(account))
      tx.insert('authenticators', { account, secret: sealed, last_step: step, created: at })
      tx.write(updateSecondFactor, { id: session.id, now: at, provider: null })
      tx.write(forgetProofs, { account, except: session.id })
      note({ target: { object: 'user', id: session.user } })
      const sessions = await tx.all(listSessionsOfAccount, { account })
      return { codes: replaceRecoveryCodes(tx, services.sealer, account, at), others: sessions }
    })
    evictSessions(
      services,
      others.map(({ id }) => id).filter((id) => id !== session.id),
    )
    return { recovery_codes: codes }
  },
})

/** The secret of a set-up of this account that has not expired. */
function openSetUp(services: Services, session: ActiveSession, sealed: string, now: number): string {
  const expired = 'The set-up has expired. Start again.'
  try {
    const [until, secret = ''] = services.sealer.open(sealed, contextOf(session)).split(' ')
    if (now < Number(until)) return secret
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error
  }
  throw refuse('invalid_request_body', { param: 'set_up', message: expired })
}

/** Removes the app. Refuses the last second factor while an organization of the account requires one. */
export const deleteAuthenticatorOfPerson = endpoint('DELETE second-factor/authenticator', {
  needs: 'step_up',
  guests: true,
  changes_second_factor: true,
  async handle(context) {
    const { services, session } = context
    const { account, user } = session
    const change = { action: 'authenticators.delete', everywhere: true } as const
    return await commitAsUser(context, change, async ({ tx, now, note }) => {
      await lockSecondFactor(tx, services.sealer, session, now)
      if ((await tx.first(findAuthenticator, { account })) === undefined)
        throw refuse('resource_not_found', { message: 'Your account has no authenticator app.' })
      await requireAnotherFactor(tx, account, 'authenticator')
      tx.write(deleteAuthenticator, { account })
      await forgetWhatIsLeft(tx, account)
      note({ target: { object: 'user', id: user } })
      return { object: 'authenticator' as const, deleted: true as const }
    })
  },
})
