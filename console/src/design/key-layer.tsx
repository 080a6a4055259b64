/** Layers of shortcuts: while a dialog is open, the shortcuts of the page behind it are inactive. */
import { createContext, type ReactNode, use, useEffect } from 'react'

const Depth = createContext(0)
const open = new Map<number, number>()

/** The component's layer: 0 on a page, 1 in a dialog, 2 in a dialog above it. */
export function useKeyDepth(): number {
  return use(Depth)
}

/** The active layer. */
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
