/** The texts of a drawing as a list, for screen readers and for searching. */
import type { BoardItem } from '@atrium/sdk'
import { ExternalLink } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { inWords, SearchInput, StatusBadge } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { linkOf } from './paint.ts'
import type { Scene } from './scene.ts'
import { useBoardTask } from './task-card.tsx'

const shown_max = 500

export function ItemList({ scene }: { readonly scene: Scene }) {
  const [words, setWords] = useState('')
  const listed = scene.placed.map(({ item }) => item).filter(hasText)
  const matching = listed.filter((item) => (item.text ?? '').toLowerCase().includes(words.trim().toLowerCase()))
  const shown = matching.slice(0, shown_max)
  return (
    <>
      <SearchInput label={t('Search texts')} value={words} onChange={setWords} />
      {shown.length === 0 ? (
        <p className="muted">{listed.length === 0 ? t('This board has no texts.') : t('No texts match.')}</p>
      ) : (
        <ul className="board-texts" aria-label={t('Texts of the drawing')}>
          {shown.map((item) => (
            <li key={item.id} className="board-said">
              <span className="board-said-kind">{kindOf(item)}</span>
              <ItemEntry item={item} />
            </li>
          ))}
        </ul>
      )}
      {matching.length > shown.length && (
        <p className="subtle">
          {t('Showing the first {count} of {count2}. Search to find others.', {
            count: shown.length,
            count2: matching.length,
          })}
        </p>
      )}
    </>
  )
}

function hasText(item: BoardItem): boolean {
  return item.text !== null || item.linked_task !== null || linkOf(item) !== null
}

const kinds: Readonly<Record<string, string>> = { sticky_note: t('Note'), connector: t('Arrow'), freehand: t('Sketch') }

function kindOf({ type, data, linked_task }: BoardItem): string {
  if (linked_task !== null) return t('Task')
  if (type === 'shape' && typeof data.shape === 'string') return inWords(data.shape)
  return kinds[type] ?? inWords(type)
}

function ItemEntry({ item }: { readonly item: BoardItem }) {
  if (item.linked_task !== null) return <TaskEntry id={item.linked_task} drawn={item.text} />
  const link = linkOf(item)
  if (link === null) return <span className="board-said-text">{item.text}</span>
  return (
    <a className="link board-said-text" href={link.href} target="_blank" rel="noopener noreferrer">
      {item.text ?? link.host} <ExternalLink aria-hidden="true" size="0.75rem" />
      <span className="unseen"> {t('(opens in a new tab)')}</span>
    </a>
  )
}

function TaskEntry({ id, drawn }: { readonly id: string; readonly drawn: string | null }) {
  const { data } = useBoardTask(id)
  return (
    <span className="board-said-text">
      <Link href={`/work/tasks/${id}`} className="link">
        {data === undefined ? (drawn ?? t('Task')) : `${data.key} ${data.title}`}
      </Link>{' '}
      {data !== undefined && <StatusBadge status={data.status} />}
    </span>
  )
}
