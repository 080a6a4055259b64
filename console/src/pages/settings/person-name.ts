import type { Person } from '../../data/shapes.ts'

export function nameOfPerson({ first_name, last_name, email, user }: Person): string {
  return [first_name, last_name].filter(Boolean).join(' ') || email || user
}
