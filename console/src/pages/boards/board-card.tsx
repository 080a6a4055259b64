/** A board in the grid: a picture of it, its name, how fresh it is, and what can be done with it. */
import type { Board } from '@atrium/sdk'
import { Archive, ArchiveRestore, Ellipsis, PenLine, PenTool, Users } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { IconButton, Menu, type MenuEntry } from '../../design/index.ts'
import { Drawing } from './drawing.tsx'
import { Freshness } from './freshness.tsx'
import { RenameDialog } from './name-dialog.tsx'
import { useArchive, useRestore, useThumbnail } from './reads.ts'
import type { Box } from './scene.ts'

export function BoardCard({ board }: { readonly board: Board }) {
  const { id, name, member_count } = board
  return (
    <li className="board-card" data-archived={board.status === 'archived' || undefined}>
      <Thumbnail board={board} />
      <div className="board-card-foot">
        <div className="board-card-text">
          <Link href={`/boards/${id}`} className="board-card-name cut">
            {name}
          </Link>
          <span className="board-card-facts">
            <Freshness board={board} />
            <span className="board-card-members">
              <Users aria-hidden="true" />
              <span className="numbers">{member_count}</span>
              <span className="unseen">{member_count === 1 ? 'member' : 'members'}</span>
            </span>
          </span>
        </div>
        <BoardMenu board={board} />
      </div>
    </li>
  )
}

/** Rename and archive; of an archived one to bring it back. */
export function BoardMenu({ board, onDone }: { readonly board: Board; readonly onDone?: () => void }) {
  const [renaming, setRenaming] = useState(false)
  const archive = useArchive()
  const restore = useRestore()
  const items: MenuEntry[] =
    board.status === 'archived'
      ? [{ label: 'Restore', icon: ArchiveRestore, onSelect: () => void restore.run(board.id).then(onDone) }]
      : [
          { label: 'Rename', icon: PenLine, onSelect: () => setRenaming(true) },
          { label: 'Archive', icon: Archive, onSelect: () => void archive.run(board).then(onDone) },
        ]
  return (
    <>
      <Menu trigger={<IconButton icon={Ellipsis} label={`More about ${board.name}`} size="s" />} items={items} />
      {renaming && <RenameDialog board={board} onClose={() => setRenaming(false)} />}
    </>
  )
}

/** Read when it comes into sight. */
function Thumbnail({ board }: { readonly board: Board }) {
  const frame = useRef<HTMLDivElement>(null)
  const seen = useSeen(frame)
  const { scene } = useThumbnail(board, seen)
  const bounds = scene?.bounds ?? null
  return (
    <div className="board-thumbnail" ref={frame} aria-hidden="true">
      {scene !== undefined && bounds !== null && (
        <svg className="drawing" viewBox={viewBoxOf(bounds)}>
          <title>{board.name}</title>
          <Drawing scene={scene} still />
        </svg>
      )}
      {scene !== undefined && bounds === null && <PenTool className="board-blank" />}
    </div>
  )
}

/** Around the drawing, with some room. */
function viewBoxOf({ left, top, width, height }: Box): string {
  const room = Math.max(width, height, 1) * 0.04
  return `${left - room} ${top - room} ${width + 2 * room} ${height + 2 * room}`
}

function useSeen(frame: { readonly current: HTMLElement | null }): boolean {
  const [seen, setSeen] = useState(false)
  useEffect(() => {
    const element = frame.current
    if (element === null || seen) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true)
      },
      { rootMargin: '200px' },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [frame, seen])
  return seen
}
