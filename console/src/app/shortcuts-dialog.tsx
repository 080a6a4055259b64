/** The list of shortcuts, behind `?`. */
import './shortcuts-dialog.css'
import { useSyncExternalStore } from 'react'
import { Dialog } from '../design/dialog.tsx'
import { Kbd } from '../design/kbd.tsx'
import { knownShortcuts, useShortcut } from './shortcuts.ts'

let isOpen = false
const listeners = new Set<() => void>()

function setOpen(next: boolean): void {
  isOpen = next
  for (const listener of listeners) listener()
}

export function openShortcuts(): void {
  setOpen(true)
}

export function ShortcutsHost() {
  const open = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => isOpen,
  )
  useShortcut('?', 'Keyboard shortcuts', openShortcuts, { group: 'Everywhere' })
  return (
    <Dialog open={open} onClose={() => setOpen(false)} title="Keyboard shortcuts" size="l">
      <ShortcutList />
    </Dialog>
  )
}

function ShortcutList() {
  const groups = Map.groupBy(knownShortcuts(), ({ group }) => group)
  const order = [...groups.keys()].sort((a, b) => rank(a) - rank(b))
  return (
    <div className="shortcut-groups">
      {order.map((group) => (
        <section key={group}>
          <h3 className="shortcut-heading">{group}</h3>
          <dl>
            {titled(groups.get(group) ?? []).map(([title, keys]) => (
              <div className="shortcut" key={title}>
                <dt>{title}</dt>
                <dd>
                  {keys.map((each, at) => (
                    <span key={each} className="row">
                      {at > 0 && <span className="subtle">or</span>}
                      <Kbd keys={each} />
                    </span>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  )
}

/** What is of the page comes first, what is everywhere last. */
function rank(group: string): number {
  const last = { 'Go to': 2, Everywhere: 3 }[group]
  return group === 'This page' ? 0 : (last ?? 1)
}

function titled(shortcuts: readonly { title: string; keys: string }[]): [string, string[]][] {
  const byTitle = Map.groupBy(shortcuts, ({ title }) => title)
  return [...byTitle].map(([title, all]) => [title, [...new Set(all.map(({ keys }) => keys))]])
}
