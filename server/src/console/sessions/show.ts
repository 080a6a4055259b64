/** The session as the page receives it. */
import { newest_version } from '../../api/declare/version.ts'
import type { Services } from '../../api/services.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { OpenIdProvider } from '../../egress/openid-provider.ts'
import { seconds } from '../../lib/clock.ts'
import { preferencesOf } from '../../notifications/preferences.ts'
import { csrfOf } from '../csrf.ts'
import { providersOfAccount, showProviders } from '../openid/providers.ts'
import { isOperator } from '../operator/operators.ts'
import { isSecure, passkeysUnavailable } from '../origins.ts'
import type { Installation, Role, SecondFactorOfSession, SignedIn, SignedOut } from '../shapes.ts'
import { listMemberships } from './queries.ts'
import { type ActiveSession, canChangeFactors, type SecondFactorState, steppedUpUntil } from './session.ts'

/** The owner of the demo organization created at the first start. */
export const demo_owner_email = 'owner@demo.example'

interface ShowContext {
  readonly services: Services
  readonly origin: string
}

export const findUser = query((db, p: Placeholder<{ organization: string; user: string }>) =>
  db
    .selectFrom('members')
    .innerJoin('organizations', 'organizations.organization', 'members.organization')
    .select(['members.id', 'members.email', 'members.first_name', 'members.last_name', 'organizations.name'])
    .where('members.organization', '=', p('organization'))
    .where('members.user', '=', p('user')),
)

const findAnyPasskey = query((db, p: Placeholder<{ account: string }>) =>
  db.selectFrom('passkeys').select('id').where('account', '=', p('account')).limit(1),
)

function showInstallation(
  { services, origin }: ShowContext,
  session: string | null,
  providers: Iterable<OpenIdProvider>,
): Installation {
  const { publicUrl } = services.settings
  const secure = isSecure(origin)
  return {
    csrf: csrfOf(services.sealer, session),
    public_url: publicUrl,
    secure,
    passkeys_unavailable: secure ? passkeysUnavailable(origin) : 'Passkeys need HTTPS.',
    versions: { current: newest_version, all: services.versions.dates },
    mail: services.mailer !== null,
    providers: showProviders(providers),
  }
}

export function showSignedOut(context: ShowContext): SignedOut {
  return { signed_in: false, ...showInstallation(context, null, context.services.openid.values()) }
}

function showSecondFactor(state: SecondFactorState): SecondFactorOfSession {
  const { required, provedTo, need } = state
  return { required, proved: provedTo !== null, need, can_change: canChangeFactors(state) }
}

export async function showSignedIn(context: ShowContext, session: ActiveSession): Promise<SignedIn> {
  const { account, email, organization, user, plan, role } = session
  const reader = context.services.store.reader('system')
  const [person, memberships, passkey, operator, preferences, providers] = await Promise.all([
    reader.first(findUser, { organization, user }),
    reader.all(listMemberships, { account }),
    reader.first(findAnyPasskey, { account }),
    isOperator(context.services, session),
    preferencesOf(reader, organization, user),
    providersOfAccount(context.services, account),
  ])
  return {
    signed_in: true,
    ...showInstallation(context, session.id, providers),
    account: { id: account, email, email_proved: session.emailProved },
    user: {
      id: user,
      member: person?.id ?? '',
      first_name: person?.first_name ?? null,
      last_name: person?.last_name ?? null,
      email: person?.email ?? null,
    },
    organization: { id: organization, name: person?.name ?? '', plan },
    organizations: memberships.map((row) => ({ id: row.organization, name: row.name, role: row.role as Role })),
    role,
    operator,
    preferences,
    stepped_up_until: seconds(steppedUpUntil(session)),
    second_factor: showSecondFactor(session.secondFactor),
    has_passkey: passkey !== undefined,
    has_password: session.hasPassword,
    session: { id: session.id, expires_at: seconds(session.expiresAt) },
    demo: person?.email === demo_owner_email,
  }
}
