/** All results of a search, page by page. Query and kinds are in the address. */
import './search.css'
import type { SearchResult } from '@atrium/sdk'
import { Search, SearchX } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { hasErrorCode, type ListResult, useList, useUrlParam } from '../../data/index.ts'
import { Button, Empty, More, Page, RelativeTime, SearchInput, SkeletonLines } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { Excerpt } from './excerpt.tsx'
import { kindOf, kinds, pathOf, query_chars_max, useProjectNames } from './results.ts'

/** The pause in typing after which the search starts. */
const debounce_ms = 200

export function SearchPage() {
  const [query] = useUrlParam('query', '')
  const [types, setTypes] = useUrlParam('types', '')
  const chosen = types === '' ? [] : types.split(',').filter((type) => kinds.some((kind) => kind.type === type))
  return (
    <Page title={t('Search')} width="narrow">
      <div className="stack">
        <QueryField />
        <KindChoice chosen={chosen} onChange={(next) => setTypes(next.join())} />
        {query.trim() === '' ? (
          <Empty icon={Search} title={t('Search this organization')}>
            {t(
              'Find tasks, comments, projects, boards, files and portfolios by their words. Put words that belong together in quotes, and a minus before a word to leave it out.',
            )}
          </Empty>
        ) : (
          <Results query={query} types={chosen} />
        )}
      </div>
    </Page>
  )
}

/** The text is the address's after a pause in typing; an address that changes otherwise replaces the text. */
function QueryField() {
  const [query, setQuery] = useUrlParam('query', '')
  const [text, setText] = useState(query)
  const sent = useRef(query)
  if (query !== sent.current) {
    sent.current = query
    setText(query)
  }
  useEffect(() => {
    if (text === sent.current) return
    const timer = setTimeout(() => {
      sent.current = text
      setQuery(text)
    }, debounce_ms)
    return () => clearTimeout(timer)
  }, [text, setQuery])
  return (
    <div role="search">
      <SearchInput
        label={t('Search')}
        placeholder={t('Words, or a task key')}
        maxLength={query_chars_max}
        autoFocus={query === ''}
        value={text}
        onChange={setText}
      />
    </div>
  )
}

interface KindChoiceProps {
  readonly chosen: readonly string[]
  readonly onChange: (types: readonly string[]) => void
}

function KindChoice({ chosen, onChange }: KindChoiceProps) {
  const toggle = (type: string) =>
    onChange(chosen.includes(type) ? chosen.filter((each) => each !== type) : [...chosen, type])
  return (
    <div className="search-kinds" role="group" aria-label={t('Kinds')}>
      <Button size="s" aria-pressed={chosen.length === 0} onClick={() => onChange([])}>
        {t('All')}
      </Button>
      {kinds.map(({ type, name, icon }) => (
        <Button key={type} size="s" icon={icon} aria-pressed={chosen.includes(type)} onClick={() => toggle(type)}>
          {name}
        </Button>
      ))}
    </div>
  )
}

function Results({ query, types }: { readonly query: string; readonly types: readonly string[] }) {
  const params = { query: query.slice(0, query_chars_max), ...(types.length === 0 ? {} : { types }) }
  const list = useList<SearchResult>('search_result', params, (atrium, cursor, signal) =>
    atrium.search.list({ ...params, cursor }, { signal }),
  )
  if (hasErrorCode(list.error, 'invalid_query_parameter')) {
    return (
      <Empty icon={SearchX} title={t('Add a word to search for')}>
        {t('A search needs at least one word or phrase without a minus before it.')}
      </Empty>
    )
  }
  if (list.error) return <ErrorState error={list.error} onRetry={list.refetch} />
  if (list.rows === undefined) return <SkeletonLines lines={8} />
  if (list.rows.length === 0) {
    return (
      <Empty icon={SearchX} title={t('Nothing found for “{query}”', { query: query.trim() })}>
        {types.length === 0
          ? t('All words must occur in the same object. Try fewer words, or only the beginning of one.')
          : t('Nothing of these kinds matches. Choose All to search everything.')}
      </Empty>
    )
  }
  return <ResultList list={list} rows={list.rows} />
}

interface ResultListProps {
  readonly list: ListResult<SearchResult>
  readonly rows: readonly SearchResult[]
}

function ResultList({ list, rows }: ResultListProps) {
  const projects = useProjectNames()
  return (
    <>
      <ol className="search-results" aria-label={t('Results')} aria-busy={list.isPrevious}>
        {rows.map((result) => (
          <li key={result.id}>
            <Result result={result} project={projects.get(result.project ?? '')} />
          </li>
        ))}
      </ol>
      <More hasMore={list.hasMore} busy={list.isLoadingMore} onMore={list.loadMore} shown={rows.length} />
    </>
  )
}

function Result({ result, project }: { readonly result: SearchResult; readonly project: string | undefined }) {
  const { key, title, updated, excerpt } = result
  const { name, icon: Icon } = kindOf(result)
  return (
    <Link href={pathOf(result)} className="search-result">
      <Icon aria-label={name} role="img" className="search-result-icon" />
      <span className="search-result-text">
        <span className="search-result-title">{title ?? t('Comment')}</span>
        {excerpt !== '' && <Excerpt {...result} />}
        <span className="search-result-facts">
          {key !== null && <span className="numbers">{key}</span>}
          {project !== undefined && <span className="cut">{project}</span>}
          <RelativeTime at={updated} />
        </span>
      </span>
    </Link>
  )
}
