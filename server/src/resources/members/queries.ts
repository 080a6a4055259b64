/** All SQL about members beyond their look-up: who has an e-mail address, and writing one back. */
import { refuse } from '../../api/declare/errors.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { Reader } from '../../db/store.ts'

/** Addresses are ASCII (`Member`), so both engines lower them alike. */
const findEmail = query((db, p: Placeholder<{ organization: string; email: string }>) =>
  db
    .selectFrom('members')
    .select('id')
    .where('organization', '=', p('organization'))
    .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', p('email'))),
)

/** Refuses an address that another member of the organization has, in whatever case. */
export async function requireFreeEmail(
  reader: Reader,
  organization: string,
  email: string,
  except: string | null,
): Promise<void> {
  const holders = await reader.all(findEmail, { organization, email: email.toLowerCase() })
  if (holders.every((holder) => holder.id === except)) return
  throw refuse('resource_conflict', { param: 'email', message: `There is a member with the address ${email}.` })
}

/** The member of an id in whichever organization: for the operator only, who names no organization. */
export const findAnywhere = query((db, p: Placeholder<{ id: string }>) =>
  db.selectFrom('members').selectAll().where('id', '=', p('id')),
)

export const updateMember = query(
  (
    db,
    p: Placeholder<{
      email: string | null
      first_name: string | null
      last_name: string | null
      role: string | null
      status: string
      updated: number
      organization: string
      id: string
    }>,
  ) =>
    db
      .updateTable('members')
      .set({
        email: p('email'),
        first_name: p('first_name'),
        last_name: p('last_name'),
        role: p('role'),
        status: p('status'),
        updated: p('updated'),
      })
      .where('organization', '=', p('organization'))
      .where('id', '=', p('id')),
)
