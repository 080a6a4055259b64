/** A menu at a point of the window: for a right click or a long press. */
import './context-menu.css'
import { Menu, type MenuEntry } from './menu.tsx'

interface ContextMenuProps {
  readonly label: string
  /** Pixels from the top left corner of the window. */
  readonly at: { readonly x: number; readonly y: number }
  readonly items: readonly MenuEntry[]
  readonly onClose: () => void
}

export function ContextMenu({ label, at, items, onClose }: ContextMenuProps) {
  return (
    <Menu
      key={`${at.x} ${at.y}`}
      label={label}
      align="start"
      isFirstOpen
      // A modal menu would hide its trigger, which can have the focus, from assistive technology.
      isModal={false}
      items={items}
      onClose={onClose}
      trigger={
        <button
          type="button"
          tabIndex={-1}
          aria-label={label}
          className="context-menu-point"
          style={{ left: at.x, top: at.y }}
        />
      }
    />
  )
}
