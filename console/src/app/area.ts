/** An area of the console: its pages and its links in the navigation. Each area declares itself in pages/<area>/routes.ts. */
import type { LucideIcon } from 'lucide-react'
import type { ComponentType } from 'react'

/** A minimum role, or being an operator of the installation. `member`: closed to guests. */
export type NeededRole = 'member' | 'admin' | 'owner' | 'operator'

type Loaded = Promise<ComponentType>

export interface AreaPage {
  /** A path pattern of wouter: `/work/tasks/:id`, `/work/projects/:id/*?`. */
  readonly path: string
  /** Loads the page's chunk: `() => import('./tasks-page.tsx').then((module) => module.TasksPage)`. */
  readonly load: () => Loaded
  /** The minimum role; others see a page that denies access; the operator's pages do not exist for them. */
  readonly role?: NeededRole
}

export interface AreaLink {
  readonly title: string
  readonly path: string
  readonly icon?: LucideIcon
  readonly role?: NeededRole
  /** Search terms for the palette. */
  readonly words?: string
}

export interface Area {
  readonly title: string
  readonly path: string
  readonly icon: LucideIcon
  /** The letter of the shortcut `g` + letter. */
  readonly letter?: string
  readonly role?: NeededRole
  /** False: has no link in the navigation, because the top bar leads to it. */
  readonly inNavigation?: false
  /** Links below the area's own, shown while the area is open. */
  readonly links?: readonly AreaLink[]
  readonly pages: readonly AreaPage[]
  /** A component mounted on every page, for dialogs, commands and searches. Loaded after the first page. */
  readonly everywhere?: () => Loaded
}
