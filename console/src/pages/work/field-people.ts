import { useMemo } from 'react'
import type { People } from '../../app/tasks/field-values.ts'
import { useDirectory } from '../../data/index.ts'

type Active = ReturnType<typeof useDirectory>['active']

/** The users of a directory; each row of a list asks for them. */
const known = new WeakMap<Active, ReadonlySet<string>>()

function usersOf(active: Active): ReadonlySet<string> {
  let users = known.get(active)
  if (users === undefined) {
    users = new Set(active.map(({ id }) => id))
    known.set(active, users)
  }
  return users
}

/** The people that values name. */
export function usePeople(): People {
  const { active, nameOf } = useDirectory()
  return useMemo(() => ({ isActive: (user) => usersOf(active).has(user), nameOf }), [active, nameOf])
}
