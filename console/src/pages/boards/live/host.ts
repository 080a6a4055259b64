/** What the canvas needs from the page around it: a member's page has the directory and `/v1`, a guest's has neither. */
import { type ComponentType, useMemo, useRef } from 'react'
import { app, socketToken, useDirectory, useMode } from '../../../data/index.ts'
import { ArrowOffer } from './arrow-offer.tsx'
import type { ConnectedTasks } from './arrows.ts'
import type { Person } from './connection.ts'
import { personName } from './person-name.ts'
import { MemberCard } from './task-cards.tsx'

/** Stays the same object while the page shows the same board as the same person. */
export interface BoardHost {
  readonly board: string
  /** The token for the board's connection. `refused` is one that the server did not accept, or null. */
  readonly token: (refused: string | null) => Promise<string>
  readonly readImage: (file: string) => Promise<string | null>
  /** Null: the person adds no images. */
  readonly storeImage: ((file: string, data_url: string) => Promise<unknown>) | null
  readonly nameOf: (person: Person) => string
  /** What covers an element that links to a task. */
  readonly Card: ComponentType<{ readonly task: string }>
  /** What is offered for an arrow between the cards of two tasks; null: nothing. */
  readonly ArrowOffer: ComponentType<ConnectedTasks> | null
  /** Null: tasks cannot be opened. */
  readonly openTask: ((task: string) => void) | null
}

/** The host for a signed-in person. `openTask` shows a task beside the canvas. */
export function useMemberHost(board: string, openTask: (task: string) => void): BoardHost {
  const mode = useMode()
  const { nameOf } = useDirectory()
  const latest = useRef({ nameOf, openTask })
  latest.current = { nameOf, openTask }
  return useMemo(
    () => ({
      board,
      token: (refused) => socketToken(mode, refused),
      readImage: async (file) =>
        (await app('GET boards/{id}/images', { params: { id: board }, query: { mode, file } })).data_url,
      storeImage: async (file, data_url) =>
        await app('POST boards/{id}/images', { params: { id: board }, body: { mode, file, data_url } }),
      nameOf: (person) => personName(person, latest.current.nameOf),
      Card: MemberCard,
      ArrowOffer,
      openTask: (task) => latest.current.openTask(task),
    }),
    [board, mode],
  )
}
