/** Reads and writes of the board pages. */
import type { Board, BoardItem, BoardLink, BoardMember, Project } from '@atrium/sdk'
import { useMemo, useRef } from 'react'
import { app, patch, useAll, useAppWrite, useList, useMode, useObject, useWrite } from '../../data/index.ts'
import { t } from '../../language/index.ts'
import { type Scene, sceneOf } from './scene.ts'

/** The API's limit for a board. */
const items_max = 5000
/** One page is enough for a thumbnail. */
const thumbnail_items_max = 100
const members_max = 500
const links_max = 100
const links_every_ms = 30_000
const projects_max = 1000

/** All boards, or those of a project. */
export function useBoards(archived: boolean, project?: string) {
  const of = project === undefined ? {} : { project }
  return useList<Board>('board', { archived, ...of }, (atrium, cursor) =>
    atrium.boards.list({ limit: 48, include_archived: archived, ...of, ...(cursor === undefined ? {} : { cursor }) }),
  )
}

export function useProject(id: string | null) {
  return useObject<Project>('project', id, (atrium, given, signal) => atrium.projects.retrieve(given, {}, { signal }))
}

/** All projects, archived ones included. */
export function useProjects() {
  return useAll<Project>('project', {}, (atrium) => atrium.projects.list({ limit: 100 }), { max: projects_max })
}

export function useBoard(id: string) {
  return useObject<Board>('board', id, (atrium, given, signal) => atrium.boards.retrieve(given, {}, { signal }))
}

interface SceneRead {
  readonly scene: Scene | undefined
  readonly error: Error | null
  readonly refetch: () => void
}

/** The drawing of a board's snapshot. When a new snapshot is published, the old one stays until the new one is read. */
function useItems(board: Board | undefined, max: number, enabled: boolean): SceneRead {
  const id = board?.id ?? ''
  const revision = board?.snapshot.revision ?? null
  const read = useAll<BoardItem>(
    'board_item',
    { board: id, revision },
    (atrium) => atrium.boards.items.list(id, { limit: 100 }),
    { max, enabled: enabled && revision !== null },
  )
  const former = useRef<{ readonly id: string; readonly items: readonly BoardItem[] } | null>(null)
  if (read.data !== undefined) former.current = { id, items: read.data }
  const items = read.data ?? (former.current?.id === id ? former.current.items : undefined)
  const isEmpty = board !== undefined && revision === null
  const scene = useMemo(() => (isEmpty ? sceneOf([]) : items && sceneOf(items)), [isEmpty, items])
  return { scene, error: read.error, refetch: () => void read.refetch() }
}

export function useScene(board: Board | undefined): SceneRead {
  return useItems(board, items_max, true)
}

/** The lowest items of a drawing. */
export function useThumbnail(board: Board, enabled: boolean): SceneRead {
  return useItems(board, thumbnail_items_max, enabled)
}

export function useMembers(board: string) {
  return useAll<BoardMember>('board_member', { board }, (atrium) => atrium.boards.members.list(board, { limit: 100 }), {
    max: members_max,
  })
}

export function useGuestLinks(board: string) {
  return useAll<BoardLink>('board_link', { board }, (atrium) => atrium.boards.links.list(board, { limit: 100 }), {
    max: links_max,
    // No event reports the use of a link.
    every_ms: links_every_ms,
  })
}

/** Archiving needs a fresh step-up; restoring does not. */
export function useArchive() {
  const mode = useMode()
  return useWrite({
    manage: true,
    write: (atrium, { id }: Board) => atrium.boards.delete(id),
    changes: ({ id }) => [patch('board', id, { status: 'archived', archived_at: Math.floor(Date.now() / 1000) })],
    done: (_, { name }) => t('{name} archived', { name }),
    undo:
      (_, { id }) =>
      () =>
        app('POST boards/{id}/restore', { params: { id }, body: { mode } }),
  })
}

export function useRestore() {
  const mode = useMode()
  const restore = useAppWrite('POST boards/{id}/restore', { nouns: ['board'], done: () => t('Board restored') })
  return { busy: restore.busy, run: (id: string) => restore.run({ params: { id }, body: { mode } }) }
}

export function useRename() {
  return useWrite({
    write: (atrium, { id, name }: { readonly id: string; readonly name: string }) => atrium.boards.update(id, { name }),
    changes: ({ id, name }) => [patch('board', id, { name })],
    done: ({ name }) => t('Renamed to {name}', { name }),
    undo: (_, { id }, before) => {
      const was = before<Board>('board', id)
      return was ? (atrium) => atrium.boards.update(id, { name: was.name }) : null
    },
    toastErrors: false,
  })
}

/** Attaches a board to a project, or with null detaches it. */
export function useAttach() {
  return useWrite({
    write: (atrium, { board, project }: { readonly board: Board; readonly project: Project | null }) =>
      atrium.boards.update(board.id, { project: project?.id ?? null }),
    changes: ({ board, project }) => [patch('board', board.id, { project: project?.id ?? null })],
    done: (_, { project }) =>
      project === null ? t('Detached from the project') : t('Attached to {name}', { name: project.name }),
    undo: (_, { board }, before) => {
      const was = before<Board>('board', board.id)
      return was ? (atrium) => atrium.boards.update(board.id, { project: was.project }) : null
    },
    toastErrors: false,
  })
}
