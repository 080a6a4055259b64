/** The places of a sentence where a card is added. */
import { Plus, Split, Zap } from 'lucide-react'
import { useRef } from 'react'
import { Button, IconButton, Menu, type MenuEntry } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import type { NodeDraft } from '../editor/graph.ts'
import { groupNames, groups, kindOf, kinds } from '../editor/kinds.ts'

interface AddHereProps {
  readonly at: number
  readonly of: readonly NodeDraft[]
  /** Adds a card, and returns its id. */
  readonly onAdd: (type: string, at: number) => string
  readonly onStart: (() => string) | undefined
  readonly onShow: (id: string) => void
  readonly isOtherwise: boolean
  readonly isLast?: boolean
}

/** Kinds that make a graph more than a sentence, or have an entry of their own. */
const canvas_only: ReadonlySet<string> = new Set(['switch', 'for_each', 'condition', 'stop'])

export function AddHere({ at, of, onAdd, onStart, onShow, isOtherwise, isLast }: AddHereProps) {
  const next = of[at]
  const end = isOtherwise ? t('Add to “otherwise”') : t('Add a step')
  const label = next === undefined ? end : t('Add before {title}', { title: kindOf(next.type).title })
  const trigger = isLast ? <Button icon={Plus}>{end}</Button> : <IconButton icon={Plus} label={label} size="s" />
  const items = (added: (id: string | undefined) => void) => [
    {
      label: t('And only if …'),
      icon: kindOf('condition').icon,
      onSelect: () => added(onAdd('condition', at)),
    },
    ...(onStart === undefined
      ? []
      : [{ label: t('Or when something else happens'), icon: Zap, onSelect: () => added(onStart()) }]),
    ...stepEntries((type) => added(onAdd(type, at))),
  ]
  return <AddMenu label={label} trigger={trigger} items={items} onShow={onShow} />
}

interface AddOtherwiseProps {
  /** Adds the first step of the other branch, and returns its id. */
  readonly onAdd: (type: string) => string
  readonly onShow: (id: string) => void
}

/** On the card of a condition: what happens if it is not true. */
export function AddOtherwise({ onAdd, onShow }: AddOtherwiseProps) {
  const label = t('Otherwise …')
  return (
    <AddMenu
      label={label}
      trigger={<IconButton icon={Split} label={label} size="s" />}
      items={(added) => stepEntries((type) => added(onAdd(type)))}
      onShow={onShow}
    />
  )
}

/** The steps that a sentence can say, by groups. */
function stepEntries(onAdd: (type: string) => void): readonly MenuEntry[] {
  return groups
    .filter((group) => group !== 'triggers')
    .flatMap((group): readonly MenuEntry[] => {
      const offered = Object.entries(kinds).filter(([type, kind]) => kind.group === group && !canvas_only.has(type))
      const entries = offered.map(([type, { title, icon }]) => ({ label: title, icon, onSelect: () => onAdd(type) }))
      return entries.length === 0 ? [] : [{ heading: groupNames[group] }, ...entries]
    })
}

interface AddMenuProps {
  readonly label: string
  readonly trigger: React.ReactElement
  readonly items: (added: (id: string | undefined) => void) => readonly MenuEntry[]
  readonly onShow: (id: string) => void
}

/** A menu after which the focus is on the card that was added. */
function AddMenu({ label, trigger, items, onShow }: AddMenuProps) {
  const place = useRef<HTMLDivElement>(null)
  const added = useRef<string | null>(null)
  const entries = items((id) => {
    added.current = id ?? null
  })
  return (
    <div className="sentence-add" ref={place}>
      <Menu
        align="start"
        label={label}
        trigger={trigger}
        items={entries}
        onClose={() => {
          if (added.current === null) place.current?.querySelector('button')?.focus()
          else onShow(added.current)
          added.current = null
        }}
      />
    </div>
  )
}
