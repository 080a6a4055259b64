/** A board in the grid: thumbnail, name, snapshot status, number of members, and its menu. */
import type { Board } from '@atrium/sdk'
import { Archive, ArchiveRestore, Ellipsis, Folder, PenLine, PenTool, Users } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { isGuest } from '../../data/index.ts'
import { IconButton, Menu, type MenuEntry } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { AttachDialog } from './attach-dialog.tsx'
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
              <span className="unseen">
                {t('{member_count, plural, one {member} other {members}}', { member_count })}
              </span>
            </span>
          </span>
        </div>
        <BoardMenu board={board} />
      </div>
    </li>
  )
}

/** Rename, Attach and Archive, or Restore for an archived board. */
export function BoardMenu({ board, onDone }: { readonly board: Board; readonly onDone?: () => void }) {
  const [isRenaming, setRenaming] = useState(false)
  const [isAttaching, setAttaching] = useState(false)
  const archive = useArchive()
  const restore = useRestore()
  const items: MenuEntry[] =
    board.status === 'archived'
      ? [{ label: t('Restore'), icon: ArchiveRestore, onSelect: () => void restore.run(board.id).then(onDone) }]
      : [
          { label: t('Rename'), icon: PenLine, onSelect: () => setRenaming(true) },
          { label: t('Attach to project…'), icon: Folder, onSelect: () => setAttaching(true) },
          { label: t('Archive'), icon: Archive, onSelect: () => void archive.run(board).then(onDone) },
        ]
  if (isGuest()) return null
  return (
    <>
      <Menu
        trigger={<IconButton icon={Ellipsis} label={t('Actions for {name}', { name: board.name })} size="s" />}
        items={items}
      />
      {isRenaming && <RenameDialog board={board} onClose={() => setRenaming(false)} />}
      {isAttaching && <AttachDialog board={board} onClose={() => setAttaching(false)} onDone={onDone} />}
    </>
  )
}

/** Read when it scrolls into view. */
function Thumbnail({ board }: { readonly board: Board }) {
  const frame = useRef<HTMLDivElement>(null)
  const { scene } = useThumbnail(board, useSeen(frame))
  const bounds = scene?.bounds ?? null
  return (
    <div className="board-thumbnail" ref={frame} aria-hidden="true">
      {scene !== undefined && bounds !== null && (
        <svg className="drawing" viewBox={viewBoxOf(bounds)}>
          <title>{board.name}</title>
          <Drawing scene={scene} isStatic />
        </svg>
      )}
      {scene !== undefined && bounds === null && <PenTool className="board-blank" />}
    </div>
  )
}

/** The bounds of the drawing with a margin. */
function viewBoxOf({ left, top, width, height }: Box): string {
  const margin = Math.max(width, height, 1) * 0.04
  return `${left - margin} ${top - margin} ${width + 2 * margin} ${height + 2 * margin}`
}

/** Whether the frame has been in view, or near it. */
function useSeen(frame: { readonly current: HTMLElement | null }): boolean {
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    const element = frame.current
    if (element === null || isSeen) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true)
      },
      { rootMargin: '200px' },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [frame, isSeen])
  return isSeen
}
