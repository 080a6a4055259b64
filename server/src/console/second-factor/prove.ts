import { refuse } from '../../api/declare/errors.ts'
import { authenticatorContext } from '../../db/secret-key/sealed-values.ts'
import type { Tx } from '../../db/store.ts'
import { countAttempt, forgiveAttempt } from '../accounts/throttle.ts'
import { commitAsUser } from '../author.ts'
import { type Context, endpoint } from '../endpoint.ts'
import { body } from '../fields.ts'
import { addressOf } from '../origins.ts'
import { renewCookie } from '../sessions/lifecycle.ts'
import { updateSecondFactor } from '../sessions/queries.ts'
import { proved_here, withSecondFactor } from '../sessions/session.ts'
import { showSignedIn } from '../sessions/show.ts'
import { SecondFactorCode } from './code.ts'
import { deleteRecoveryCode, findAuthenticator, markStepUsed } from './queries.ts'
import { digestOfCode } from './recovery-codes.ts'
import { stepOfCode } from './totp.ts'

type Proof = Context<'POST second-factor', 'session'>

/**
 * Proves the second factor of the session by a code of the account's authenticator app, or by a recovery code. Each code is accepted
 * once. Wrong ones are counted for the account, by ten in 15 minutes.
 */
export const proveSecondFactor = endpoint('POST second-factor', {
  needs: 'session',
  guests: true,
  before_second_factor: ['verify'],
  body: body({ code: SecondFactorCode }),
  async handle(context) {
    const { services, request, session, body: sent } = context
    const address = addressOf(request, services.settings)
    const attempt = { address, email: null, secondFactorOf: session.account }
    await countAttempt(services, attempt)
    const typed = sent.code.replace(/\s/g, '')
    const isOfApp = /^\d{6}$/.test(typed)
    const step = isOfApp ? await stepOf(context, typed) : null
    const change = { action: isOfApp ? 'sessions.confirm' : 'recovery_codes.use', everywhere: true } as const
    const cookie = await commitAsUser(context, change, async ({ tx, now, note }) => {
      await useCode(tx, context, typed, step)
      forgiveAttempt(tx, services.sealer, attempt)
      tx.write(updateSecondFactor, { id: session.id, now, provider: null })
      note({ target: { object: 'session', id: session.id } })
      return await renewCookie(tx, services.sealer, session, now)
    })
    // Tokens from before are valid from now on.
    services.credentials.forget()
    if (cookie !== null) context.setCookie(cookie)
    return await showSignedIn(context, withSecondFactor(session, proved_here))
  },
})

async function stepOf({ services, session: { account }, now }: Proof, code: string): Promise<number> {
  const row = await services.store.reader('system').first(findAuthenticator, { account })
  const secret = row && services.sealer.open(row.secret, authenticatorContext(account))
  const step = secret === undefined ? null : await stepOfCode(secret, code, now)
  if (step === null) throw wrongCode()
  return step
}

/** Uses the code up; refuses one that is wrong or was used. */
async function useCode(tx: Tx, { services, session }: Proof, typed: string, step: number | null): Promise<void> {
  const { account } = session
  const used =
    step === null
      ? await tx.run(deleteRecoveryCode, { account, digest: digestOfCode(services.sealer, account, typed) })
      : await tx.run(markStepUsed, { account, step })
  if (used === 0) throw wrongCode()
}

function wrongCode(): Error {
  return refuse('sign_in_failed', { param: 'code', message: 'The code is wrong or was already used.' })
}
