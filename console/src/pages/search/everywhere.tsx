/** The search of the palette, on every page. */
import type { SearchResult } from '@atrium/sdk'
import { Search } from 'lucide-react'
import { useCallback } from 'react'
import { type Command, useSearchSource } from '../../app/commands.ts'
import { useAtrium } from '../../data/index.ts'
import { t } from '../../language/index.ts'
import { Excerpt } from './excerpt.tsx'
import { kindOf, kinds, pageOf, pathOf, query_chars_max, useProjectNames } from './results.ts'

const results_max = 12

export function SearchEverywhere() {
  const atrium = useAtrium()
  const projects = useProjectNames()
  useSearchSource(
    useCallback(
      async (text, signal) => {
        const query = text.slice(0, query_chars_max)
        // Signs alone are no query, and what the credential may not search has no results.
        if (!/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(query)) return []
        const { data } = await atrium.search.list({ query, limit: results_max }, { signal })
        if (data.length === 0) return []
        const groups = kinds.flatMap(({ type }) => data.filter((result) => result.type === type))
        return [...groups.map((result) => commandOf(result, projects)), showAll(query)]
      },
      [atrium, projects],
    ),
  )
  return null
}

function commandOf(result: SearchResult, projects: ReadonlyMap<string, string>): Command {
  const { type, id, key, title, project } = result
  const { name, icon } = kindOf(result)
  const hint = [key, projects.get(project ?? '')].filter((part) => part).join(' · ')
  return {
    id: `${type} ${id}`,
    title: title ?? t('Comment'),
    group: name,
    icon,
    to: pathOf(result),
    ...(hint === '' ? {} : { hint }),
    ...(result.highlights.length === 0 ? {} : { detail: <Excerpt {...result} /> }),
  }
}

function showAll(query: string): Command {
  return { id: 'search.all', title: t('Show all results'), group: t('All results'), icon: Search, to: pageOf(query) }
}
