/** The people of the demo organization. The first is its owner, who exists already. */
export interface Person {
  readonly email: string
  readonly first_name: string
  readonly last_name: string
  readonly role: string
  readonly status: 'active' | 'pending'
}

export type Name = 'ada' | 'jonas' | 'mei' | 'priya' | 'tomas'

export const owner = { first_name: 'Ada', last_name: 'Okafor' } as const

export const people: Readonly<Record<Exclude<Name, 'ada'> | 'noor', Person>> = {
  jonas: { email: 'jonas@demo.example', first_name: 'Jonas', last_name: 'Lind', role: 'engineer', status: 'active' },
  mei: { email: 'mei@demo.example', first_name: 'Mei', last_name: 'Tanaka', role: 'designer', status: 'active' },
  priya: { email: 'priya@demo.example', first_name: 'Priya', last_name: 'Nair', role: 'engineer', status: 'active' },
  tomas: { email: 'tomas@demo.example', first_name: 'Tomás', last_name: 'Rivera', role: 'support', status: 'active' },
  noor: { email: 'noor@demo.example', first_name: 'Noor', last_name: 'Haddad', role: 'engineer', status: 'pending' },
}
