/** The search of the palette, on every page. */
import type { Atrium, SearchResult } from '@atrium/sdk'
import { Search } from 'lucide-react'
import { useCallback } from 'react'
import { type Command, useSearchSource } from '../../app/commands.ts'
import { newestEvent, useAtrium } from '../../data/index.ts'
import { t } from '../../language/index.ts'
import { Excerpt } from './excerpt.tsx'
import { kindOf, kinds, pageOf, pathOf, query_chars_max, useProjectNames } from './results.ts'

const results_max = 12
/** How long the index may take to reach what the page has seen, before a search that found nothing says so. */
const behind_wait_ms = 300
const behind_reads_max = 10

export function SearchEverywhere() {
  const atrium = useAtrium()
  const projects = useProjectNames()
  useSearchSource(
    useCallback(
      async (text, signal) => {
        const query = text.slice(0, query_chars_max)
        // Signs alone are no query, and what the credential may not search has no results.
        if (!/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(query)) return []
        const data = await find(atrium, query, signal)
        if (data.length === 0) return []
        const groups = kinds.flatMap(({ type }) => data.filter((result) => result.type === type))
        return [...groups.map((result) => commandOf(result, projects)), showAll(query)]
      },
      [atrium, projects],
    ),
  )
  return null
}

/** What was just created may not be indexed yet: a search that finds nothing is repeated until the index is as far as the page. */
async function find(atrium: Atrium, query: string, signal: AbortSignal): Promise<SearchResult[]> {
  for (let reads = 1; ; reads++) {
    const seen = newestEvent()?.sequence ?? 0
    const { data, indexed_sequence } = await atrium.search.list({ query, limit: results_max }, { signal })
    if (data.length > 0 || indexed_sequence >= seen || reads === behind_reads_max) return data
    await new Promise((resolve) => setTimeout(resolve, behind_wait_ms))
    signal.throwIfAborted()
  }
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
