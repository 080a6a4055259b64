/** The menu of nodes that can be added, by group. */
import type { MenuEntry } from '../../../design/index.ts'
import { groupNames, groups, kinds } from './kinds.ts'

export function addItems(onAdd: (type: string) => void, which: 'all' | 'steps'): readonly MenuEntry[] {
  return groups
    .filter((group) => which === 'all' || group !== 'triggers')
    .flatMap((group): MenuEntry[] => [
      { heading: groupNames[group] },
      ...Object.entries(kinds)
        .filter(([, kind]) => kind.group === group)
        .map(([type, { title, icon }]) => ({ label: title, icon, onSelect: () => onAdd(type) })),
    ])
}
