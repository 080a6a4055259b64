/** The session as the page sees it. */
import type { Request } from '../../api/request.ts'
import type { Services } from '../../api/services.ts'
import { newest_version } from '../../api/version.ts'
import { query } from '../../db/query.ts'
import { seconds } from '../../lib/clock.ts'
import { csrfOf } from '../csrf.ts'
import { isSecure, passkeysUnavailable } from '../origins.ts'
import type { Installation, Role, SignedIn, SignedOut } from '../shapes.ts'
import { listMemberships } from './queries.ts'
import { type OpenSession, steppedUpUntil } from './session.ts'

/** Owner of the organization that a first start makes. */
export const demo_owner_email = 'owner@demo.example'

interface Showing {
  readonly services: Services
  readonly request: Request
  readonly origin: string
}

const findPerson = query((db, p) =>
  db
    .selectFrom('members')
    .innerJoin('organizations', 'organizations.organization', 'members.organization')
    .select(['members.id', 'members.email', 'members.first_name', 'members.last_name', 'organizations.name'])
    .where('members.organization', '=', p('organization'))
    .where('members.user', '=', p('user')),
)

const anyPasskey = query((db, p) => db.selectFrom('passkeys').select('id').where('account', '=', p('account')).limit(1))

function installation({ services, origin }: Showing, session: string | null): Installation {
  const { publicUrl } = services.settings
  const secure = isSecure(publicUrl)
  return {
    csrf: csrfOf(services.sealer, session),
    public_url: publicUrl,
    secure,
    passkeys_unavailable: secure ? passkeysUnavailable(origin) : 'Passkeys need HTTPS.',
    versions: { current: newest_version, all: services.versions.dates },
  }
}

export function showSignedOut(context: Showing): SignedOut {
  return { signed_in: false, ...installation(context, null) }
}

export async function showSignedIn(context: Showing, session: OpenSession): Promise<SignedIn> {
  const { account, email, organization, user, plan, role } = session
  const reader = context.services.store.reader('system')
  const [person, memberships, passkey] = await Promise.all([
    reader.first(findPerson, { organization, user }),
    reader.all(listMemberships, { account }),
    reader.first(anyPasskey, { account }),
  ])
  return {
    signed_in: true,
    ...installation(context, session.id),
    account: { id: account, email },
    user: {
      id: user,
      member: person?.id ?? '',
      first_name: person?.first_name ?? null,
      last_name: person?.last_name ?? null,
      email: person?.email ?? null,
    },
    organization: { id: organization, name: person?.name ?? '', plan },
    organizations: memberships.map((each) => ({ id: each.organization, name: each.name, role: each.role as Role })),
    role,
    stepped_up_until: seconds(steppedUpUntil(session)),
    has_passkey: passkey !== undefined,
    has_password: true,
    session: { id: session.id, expires_at: seconds(session.expiresAt) },
    demo: email === demo_owner_email,
  }
}
