/** A menu of actions: `<Menu trigger={<IconButton …/>} items={[…]} />`. */
import './menu.css'
import { Check, type LucideIcon } from 'lucide-react'
import { DropdownMenu as Radix } from 'radix-ui'
import { Fragment, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import { Kbd } from './kbd.tsx'

export interface MenuItem {
  readonly label: ReactNode
  readonly icon?: LucideIcon
  readonly keys?: string
  readonly hint?: ReactNode
  readonly danger?: boolean
  readonly disabled?: boolean
  /** Makes the item a choice: whether it is selected. */
  readonly checked?: boolean
  readonly onSelect?: () => void
  /** Opens a page of the console instead of calling `onSelect`. */
  readonly to?: string
}

/** An item, a separator, or a heading for the following items. */
export type MenuEntry = MenuItem | 'line' | { readonly heading: string }

interface MenuProps {
  readonly trigger: ReactNode
  readonly items: readonly MenuEntry[]
  readonly align?: 'start' | 'end'
  readonly side?: 'top' | 'bottom' | 'right'
  readonly label?: string
  /** Open when it is mounted. */
  readonly isFirstOpen?: boolean
  /** Whether the page behind is out of reach while the menu is open. Default: true. */
  readonly isModal?: boolean
  /** The menu was closed; the focus is then up to the caller. */
  readonly onClose?: () => void
}

export function Menu(props: MenuProps) {
  const { trigger, items, align = 'end', side = 'bottom', label, isFirstOpen = false } = props
  const { isModal = true, onClose } = props
  return (
    <Radix.Root defaultOpen={isFirstOpen} modal={isModal}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          className="menu"
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
          loop
          {...(onClose && {
            onCloseAutoFocus: (event: Event) => {
              event.preventDefault()
              onClose()
            },
          })}
          {...(label ? { 'aria-label': label, 'aria-labelledby': undefined } : {})}
        >
          {items.map((entry, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: entries do not move while the menu is open
            <Fragment key={i}>
              <Entry entry={entry} />
            </Fragment>
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

function Entry({ entry }: { readonly entry: MenuEntry }) {
  if (entry === 'line') return <Radix.Separator className="menu-line" />
  if ('heading' in entry) return <Radix.Label className="menu-heading">{entry.heading}</Radix.Label>
  return <Item {...entry} />
}

function Item({ label, icon: Icon, keys, hint, danger, disabled, checked, onSelect, to }: MenuItem) {
  const [, navigate] = useLocation()
  const content = (
    <>
      {checked === undefined ? (
        Icon && <Icon aria-hidden="true" className="menu-icon" />
      ) : (
        <Check aria-hidden="true" className="menu-icon" data-hidden={!checked || undefined} />
      )}
      <span className="menu-text">
        {label}
        {hint && <span className="menu-hint">{hint}</span>}
      </span>
      {keys && <Kbd keys={keys} />}
    </>
  )
  const props = { className: 'menu-item', disabled: disabled ?? false, 'data-danger': danger || undefined }
  if (checked !== undefined) {
    return (
      <Radix.CheckboxItem {...props} checked={checked} onSelect={() => onSelect?.()}>
        {content}
      </Radix.CheckboxItem>
    )
  }
  return (
    <Radix.Item {...props} onSelect={() => (to === undefined ? onSelect?.() : navigate(to))}>
      {content}
    </Radix.Item>
  )
}
