/** How people on a board are called: members by the directory, guests of a link by the name that they have given. */
import { t } from '../../../language/index.ts'
import type { Person } from './connection.ts'

/** The name of a guest as others see it. The server has removed marks of direction, which could change the words after it. */
export function guestName(name: string): string {
  return t('{name} (guest)', { name })
}

/** Guests do not see the names of members. */
export function personName({ user, guest }: Person, nameOf: (id: string) => string): string {
  if (guest !== null) return guestName(guest)
  return user === null ? t('Member') : nameOf(user)
}

/** Names one person: a user with two pages is one. */
export function personKey({ user, connection }: Person): string {
  return user ?? connection
}
