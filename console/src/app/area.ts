/** An area of the console: its pages, each a chunk of its own, and what stands of it in the navigation. One file each: pages/<area>/routes.ts. */
import type { LucideIcon } from 'lucide-react'
import type { ComponentType } from 'react'

export type Loaded = Promise<ComponentType>

export interface AreaPage {
  /** As wouter writes it: `/work/tasks/:id`, `/work/projects/:id/*?`. */
  readonly path: string
  /** `() => import('./tasks-page.tsx').then((module) => module.TasksPage)` */
  readonly load: () => Loaded
  /** Who is told that they may not see it. */
  readonly role?: 'admin' | 'owner'
}

export interface AreaLink {
  readonly title: string
  readonly path: string
  readonly icon?: LucideIcon
  readonly role?: 'admin' | 'owner'
  /** Other words that find it in the palette. */
  readonly words?: string
}

export interface Area {
  readonly title: string
  readonly path: string
  readonly icon: LucideIcon
  /** The letter behind `g` that leads there. */
  readonly letter?: string
  readonly role?: 'admin' | 'owner'
  /** Links below the area's own, shown while one is in it. */
  readonly links?: readonly AreaLink[]
  readonly pages: readonly AreaPage[]
  /**
   * A component that is there on every page, loaded when the first page has been drawn: dialogs that open anywhere,
   * commands and searches of the palette.
   */
  readonly everywhere?: () => Loaded
}
