/** How people on a board are called: members by the directory, guests of a link by the name that they have given. */
import { guestName } from '../../../app/guest-name.ts'
import { t } from '../../../language/index.ts'
import type { Person } from './connection.ts'

/** Guests do not see the names of members. */
export function personName({ user, guest }: Person, nameOf: (id: string) => string): string {
  if (guest !== null) return guestName(guest)
  return user === null ? t('Member') : nameOf(user)
}

/** Names one person: a user with two pages is one. */
export function personKey({ user, connection }: Person): string {
  return user ?? connection
}
