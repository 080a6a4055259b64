/** What the list of shortcuts shows: the keys of the page first, the general ones last. */
import './shortcut-list.css'
import { knownShortcuts } from '../app/shortcuts.ts'
import { Kbd } from '../design/kbd.tsx'
import { t } from '../language/index.ts'

export function ShortcutList() {
  const groups = Map.groupBy(knownShortcuts(), ({ group }) => group)
  const order = [...groups.keys()].sort((a, b) => rank(a) - rank(b))
  return (
    <div className="shortcut-groups">
      {order.map((group) => (
        <section key={group}>
          <h3 className="shortcut-heading">{group}</h3>
          <dl>
            {keysByTitle(groups.get(group) ?? []).map(([title, keys]) => (
              <div className="shortcut" key={title}>
                <dt>{title}</dt>
                <dd>
                  {keys.map((each, i) => (
                    <span key={each} className="row">
                      {i > 0 && <span className="subtle">{t('or')}</span>}
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

/** Sorts the page's shortcuts first and the general ones last. */
function rank(group: string): number {
  return { 'This page': 0, 'Go to': 2, General: 3 }[group] ?? 1
}

function keysByTitle(shortcuts: readonly { title: string; keys: string }[]): [string, string[]][] {
  const byTitle = Map.groupBy(shortcuts, ({ title }) => title)
  return [...byTitle].map(([title, all]) => [title, [...new Set(all.map(({ keys }) => keys))]])
}
