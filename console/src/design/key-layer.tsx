/** Shortcuts belong to the layer they are in: while a dialog is open, those of the page behind it are silent. */
import { createContext, type ReactNode, use, useEffect } from 'react'

const Depth = createContext(0)
const open = new Map<number, number>()

/** How deep the component lies: 0 on a page, 1 in a dialog, 2 in a dialog over it. */
export function useKeyDepth(): number {
  return use(Depth)
}

/** The depth that keys go to now. */
export function keyDepth(): number {
  return Math.max(0, ...open.keys())
}

export function KeyLayer({ children }: { readonly children: ReactNode }) {
  const depth = use(Depth) + 1
  useEffect(() => {
    open.set(depth, (open.get(depth) ?? 0) + 1)
    return () => {
      const left = (open.get(depth) ?? 1) - 1
      if (left === 0) open.delete(depth)
      else open.set(depth, left)
    }
  }, [depth])
  return <Depth value={depth}>{children}</Depth>
}
