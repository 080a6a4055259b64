/** The texts of a drawing as a list, for those who do not see it and for searching in it. */
import type { BoardItem } from '@atrium/sdk'
import { ExternalLink } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { Badge, SearchInput } from '../../design/index.ts'
import { linkOf } from './paint.ts'
import type { Scene } from './scene.ts'
import { taskStatus, taskTone, useBoardTask } from './task-card.tsx'

const shown_max = 500

export function ItemList({ scene }: { readonly scene: Scene }) {
  const [words, setWords] = useState('')
  const said = scene.placed.map(({ item }) => item).filter(saysSomething)
  const found = said.filter((item) => (item.text ?? '').toLowerCase().includes(words.trim().toLowerCase()))
  const shown = found.slice(0, shown_max)
  return (
    <>
      <SearchInput label="Search the texts" value={words} onChange={setWords} />
      {shown.length === 0 ? (
        <p className="muted">{said.length === 0 ? 'Nothing is written on this board.' : 'Nothing matches.'}</p>
      ) : (
        <ul className="board-texts" aria-label="Texts of the drawing">
          {shown.map((item) => (
            <li key={item.id} className="board-said">
              <span className="board-said-kind">{kindOf(item)}</span>
              <Said item={item} />
            </li>
          ))}
        </ul>
      )}
      {found.length > shown.length && (
        <p className="subtle">
          The first {shown.length} of {found.length}. Search for the others.
        </p>
      )}
    </>
  )
}

function saysSomething(item: BoardItem): boolean {
  return item.text !== null || item.linked_task !== null || linkOf(item) !== null
}

const kinds: Readonly<Record<string, string>> = { sticky_note: 'note', connector: 'arrow', freehand: 'sketch' }

function kindOf({ type, data, linked_task }: BoardItem): string {
  if (linked_task !== null) return 'task'
  if (type === 'shape' && typeof data.shape === 'string') return data.shape
  return kinds[type] ?? type
}

function Said({ item }: { readonly item: BoardItem }) {
  if (item.linked_task !== null) return <SaidTask id={item.linked_task} drawn={item.text} />
  const link = linkOf(item)
  if (link === null) return <span className="board-said-text">{item.text}</span>
  return (
    <a className="link board-said-text" href={link.href} target="_blank" rel="noopener noreferrer">
      {item.text ?? link.host} <ExternalLink aria-hidden="true" size="0.75rem" />
      <span className="unseen"> (opens in a new tab)</span>
    </a>
  )
}

function SaidTask({ id, drawn }: { readonly id: string; readonly drawn: string | null }) {
  const { data } = useBoardTask(id)
  return (
    <span className="board-said-text">
      <Link href={`/work/tasks/${id}`} className="link">
        {data === undefined ? (drawn ?? 'Task') : `${data.key} ${data.title}`}
      </Link>{' '}
      {data !== undefined && (
        <Badge tone={taskTone(data.status)} dot>
          {taskStatus(data.status)}
        </Badge>
      )}
    </span>
  )
}
