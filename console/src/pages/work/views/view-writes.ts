/** The writes of views. */
import type { SavedFilter, SavedFiltersUpdateParams } from '@atrium/sdk'
import { patch, remove, useWrite } from '../../../data/index.ts'
import { t } from '../../../language/index.ts'

interface ViewChange {
  readonly id: string
  readonly fields: SavedFiltersUpdateParams
}

export function useViewChange(done: (saved: SavedFilter) => string, toastErrors = true) {
  return useWrite({
    write: (atrium, { id, fields }: ViewChange) => atrium.savedFilters.update(id, fields),
    changes: ({ id, fields }) => [patch('saved_filter', id, fields)],
    done,
    undo: (_, { id, fields }, before) => {
      const was = before<SavedFilter>('saved_filter', id)
      if (was === undefined) return null
      const names = Object.keys(fields) as (keyof SavedFiltersUpdateParams & keyof SavedFilter)[]
      const former = Object.fromEntries(names.map((name) => [name, was[name]]))
      return (atrium) => atrium.savedFilters.update(id, former)
    },
    toastErrors,
  })
}

export function useViewDeletion() {
  return useWrite({
    write: (atrium, deleted: string) => atrium.savedFilters.delete(deleted),
    changes: (deleted) => [remove('saved_filter', deleted)],
    done: () => t('View deleted'),
  })
}

/** Pins a view to the navigation of all who see it, or takes it from there. */
export function usePin() {
  const change = useViewChange(({ name, pinned }) =>
    pinned ? t('{name} is in the navigation', { name }) : t('{name} unpinned', { name }),
  )
  return (view: SavedFilter) => void change.run({ id: view.id, fields: { pinned: !view.pinned } })
}

/** Shares a view with the team, or keeps it for its author. */
export function useSharing() {
  const change = useViewChange(({ name, visibility }) =>
    visibility === 'team' ? t('{name} is shared with the team', { name }) : t('Only you see {name}', { name }),
  )
  return (view: SavedFilter) => {
    const visibility = view.visibility === 'team' ? 'private' : 'team'
    void change.run({ id: view.id, fields: { visibility } })
  }
}
