/** A list of links below the areas of the navigation, under a heading. */
import type { LucideIcon } from 'lucide-react'
import { type ComponentProps, type ReactNode, useId } from 'react'
import { Link } from 'wouter'

export function NavSection({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const heading = useId()
  return (
    <section className="nav-section">
      <h2 className="nav-heading" id={heading}>
        {title}
      </h2>
      <ul className="nav" aria-labelledby={heading}>
        {children}
      </ul>
    </section>
  )
}

interface NavEntryProps {
  readonly icon: LucideIcon
  readonly name: string
  readonly href: string
  readonly isHere: boolean
  /** Attributes of its element, for an entry that can be moved. */
  readonly item?: ComponentProps<'li'>
  readonly keyShortcuts?: string
}

export function NavEntry({ icon: Icon, name, href, isHere, item, keyShortcuts }: NavEntryProps) {
  return (
    <li {...item}>
      <Link
        className="nav-link"
        href={href}
        aria-current={isHere ? 'page' : undefined}
        aria-keyshortcuts={keyShortcuts}
        // A browser would drag the link in place of its entry.
        draggable={item === undefined ? undefined : false}
      >
        <Icon aria-hidden="true" className="nav-icon" />
        <span className="cut">{name}</span>
      </Link>
    </li>
  )
}
