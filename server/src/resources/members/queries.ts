/** SQL of members besides their look-up: the owner of an e-mail address, and updates. */
import { refuse } from '../../api/declare/errors.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { Reader } from '../../db/store.ts'

/** Addresses are ASCII (`Member`), so lower() is the same on both engines. */
const findEmail = query((db, p: Placeholder<{ organization: string; email: string }>) =>
  db
    .selectFrom('members')
    .select('id')
    .where('organization', '=', p('organization'))
    .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', p('email'))),
)

/** Refuses the address of another member of the organization, ignoring case. */
export async function requireFreeEmail(
  reader: Reader,
  organization: string,
  email: string,
  except: string | null,
): Promise<void> {
  const holders = await reader.all(findEmail, { organization, email: email.toLowerCase() })
  if (holders.every((holder) => holder.id === except)) return
  throw refuse('resource_conflict', { param: 'email', message: `Another member has the address ${email}.` })
}

/** A member by id in all organizations, for the operator, who names no organization. */
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
