/** The query that all layouts of tasks share, in the address: the filter and sort order, or else those of the saved filter it names. */

import { useSavedFilters } from '../../app/views.ts'
import { useUrlChange, useUrlParam } from '../../data/index.ts'

/** The default sort order, and the parameter that selects it over the sort order of a saved filter. */
const newest = ''
const newest_param = '-created'

/** The filter and sort order of the URL, or else those of the saved filter it names. */
export function useTaskQuery() {
  const [filterParam] = useUrlParam('filter')
  const [sortParam, setSort] = useUrlParam('sort')
  const [savedParam] = useUrlParam('saved')
  const change = useUrlChange()
  const filters = useSavedFilters()
  const saved = filters.data?.find(({ id }) => id === savedParam)
  return {
    filter: filterParam ?? saved?.filter ?? '',
    sort: sortParam === newest_param ? newest : (sortParam ?? saved?.sort ?? newest),
    saved,
    /** The groups of the saved view; the address names others. */
    group: saved?.group_by ?? null,
    /** False until the saved filter is read. */
    isKnown: savedParam === null || filters.data !== undefined || filters.isError,
    apply: (text: string) => {
      const filter = text === saved?.filter ? null : text
      change(text === '' ? { filter, saved: null } : { filter })
    },
    sortBy: (sort: string) => setSort(sort === (saved?.sort ?? newest) ? null : sort || newest_param),
    choose: (id: string | null) => change({ filter: null, sort: null, group: null, collapsed: null, saved: id }),
  }
}
