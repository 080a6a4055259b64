/** A slot in the top bar for one small element of an area, such as the running timer. */
import type { ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { createStore, useStore } from '../lib/store.ts'

/** The top bar's element for the slot, while it is mounted. */
export const topBarSlot = createStore<HTMLElement | null>(null)

export function TopBarSlot({ children }: { readonly children: ReactNode }) {
  const element = useStore(topBarSlot)
  return element === null ? null : createPortal(children, element)
}
