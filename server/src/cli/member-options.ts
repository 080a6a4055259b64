/** The fields of a member that the operator sets. */
import { limits } from '../api/limits.ts'
import type { Given, Option } from './command.ts'
import { email, textOrNone } from './options.ts'

export const emailOption = { shows: '<email>', does: 'E-mail address.', read: email } as const satisfies Option

export const memberOptions = {
  firstName: { shows: '<text>', does: 'First name; "" for none.', read: textOrNone(limits.person_name_chars_max) },
  lastName: { shows: '<text>', does: 'Last name; "" for none.', read: textOrNone(limits.person_name_chars_max) },
  role: { shows: '<text>', does: 'Role in free text; "" for none.', read: textOrNone(limits.role_chars_max) },
  status: {
    shows: '<status>',
    does: 'Status: active, inactive or pending.',
    choices: ['active', 'inactive', 'pending'],
  },
} as const

/** The fields that were given, under the names of the API. */
export function memberFields({ firstName, lastName, role, status }: Given<typeof memberOptions>) {
  return {
    ...(firstName === undefined ? {} : { first_name: firstName }),
    ...(lastName === undefined ? {} : { last_name: lastName }),
    ...(role === undefined ? {} : { role }),
    ...(status === undefined ? {} : { status }),
  }
}
