/**
 * An operator creates an organization of their own: the same account is its owner, and an operator there too. The owner of
 * the demo also chooses the address to sign in with, because that of the demo exists nowhere (docs/decisions/accounts.md).
 */
import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { recordSystemChange } from '../../api/write/system-change.ts'
import type { Tx } from '../../db/store.ts'
import { Email } from '../../resources/members/member.ts'
import { type Founded, type Founding, foundWith } from '../../resources/organizations/found.ts'
import { Organization } from '../../resources/organizations/organization.ts'
import { listByEmail, setEmail } from '../accounts/queries.ts'
import { lockEmail } from '../accounts/throttle.ts'
import { mailAddressLink } from '../addresses/address-link.ts'
import { authorOf } from '../author.ts'
import { type Context, endpoint } from '../endpoint.ts'
import { body } from '../fields.ts'
import { console_limits } from '../limits.ts'
import { deleteLinksOfAccount } from '../links/queries.ts'
import { listMemberships } from '../sessions/queries.ts'
import { provedElsewhere } from '../sessions/session.ts'
import { demo_owner_email, findUser } from '../sessions/show.ts'
import { startSession } from '../sessions/start.ts'
import { insertOperator } from './operators.ts'

type Creation = Context<'POST organizations', 'step_up'>

/** Creates it and continues there in a new session. A second one of the same name is refused, so a repeated request creates none. */
export const createOrganization = endpoint('POST organizations', {
  needs: 'step_up',
  operator: true,
  body: body({ name: Organization.properties.name, email: Type.Optional(Email) }),
  async handle(context) {
    const { services, session } = context
    const { account, organization: current, user, provider } = session
    const email = newAddressOf(context) ?? session.email
    const person = await services.store.reader('system').first(findUser, { organization: current, user })
    const owner = { first_name: person?.first_name ?? null, last_name: person?.last_name ?? null }
    const founding: Founding = { name: context.body.name, ownerEmail: email, owner, plan: 'studio', domains: [] }
    const founded = await foundWith(services, founding, async (tx, made, now) => {
      await requireRoom(tx, context)
      tx.insert('account_memberships', { ...membershipOf(made, account), created: now, updated: now })
      await insertOperator(tx, made, now)
      if (email !== session.email) await changeAddress(tx, context, made, email, now)
      await recordCreation(tx, context, made, now)
      return made
    })
    const { organization } = founded
    const provedTo = provedElsewhere(session)
    return await startSession(context, { account, organization, confirmed: false, provider, provedTo })
  },
})

/** The address that the body asks for, in lower case; null to keep the account's. */
function newAddressOf({ body: { email }, session }: Creation): string | null {
  if (email === undefined || email.toLowerCase() === session.email) return null
  if (session.email === demo_owner_email) return email.toLowerCase()
  const message = `Your account signs in as ${session.email}. Only the demo's owner chooses another address here. Leave \`email\` out.`
  throw refuse('invalid_request_body', { param: 'email', message })
}

async function requireRoom(tx: Tx, { session: { account }, body: { name } }: Creation): Promise<void> {
  const own = await tx.all(listMemberships, { account })
  if (own.some((each) => each.name === name)) {
    const message = `You are in an organization "${name}" already. Switch to it, or choose another name.`
    throw refuse('resource_conflict', { param: 'name', message })
  }
  const max = console_limits.own_organizations_max
  if (own.length < max) return
  throw refuse('resource_conflict', { message: `Your account is in ${max} organizations. 'atrium init' creates more.` })
}

function membershipOf({ organization, user }: Founded, account: string) {
  return { organization, account, user, role: 'owner' }
}

/** The account signs in with the new address from now on, which is not proved yet. Links to the earlier address end. */
async function changeAddress(
  tx: Tx,
  { services, session: { account } }: Creation,
  { organization, user, realms }: Founded,
  email: string,
  now: number,
): Promise<void> {
  lockEmail(tx, services.sealer, email, now)
  if ((await tx.first(listByEmail, { email })) !== undefined) {
    const message = `Another account signs in as ${email}. Choose another address.`
    throw refuse('resource_conflict', { param: 'email', message })
  }
  tx.write(setEmail, { id: account, email, now })
  for (const kind of ['password', 'address']) tx.write(deleteLinksOfAccount, { account, kind })
  if (services.mailer === null) return
  mailAddressLink(services, tx, { realm: realms.live, organization, user, email, role: 'owner', account }, now)
}

async function recordCreation(tx: Tx, context: Creation, made: Founded, now: number): Promise<void> {
  const { organization, user, realms } = made
  const change = {
    organization,
    realms: (['live', 'test'] as const).map((mode) => ({ realm: realms[mode], mode })),
    action: 'organizations.create',
    ...authorOf(context, user),
  }
  await recordSystemChange(tx, change, now, async ({ note }) => {
    note({ target: { object: 'organization', id: organization } })
  })
}
