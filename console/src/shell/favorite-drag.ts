/** Favorites are dropped between others. */
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/adapter/element-adapter'
import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine'
import { useEffect, useRef, useState } from 'react'

export type MoveBeside = (id: string, other: string, side: 'before' | 'after') => void

export function useFavoriteDrag(id: string, isShown: boolean, moveBeside: MoveBeside) {
  const item = useRef<HTMLLIElement>(null)
  const [edge, setEdge] = useState<'before' | 'after' | null>(null)
  const [isDragged, setDragged] = useState(false)
  const latest = useRef(moveBeside)
  latest.current = moveBeside
  useEffect(() => {
    const element = item.current
    if (element === null || !isShown) return
    const sideAt = (clientY: number) => {
      const { top, height } = element.getBoundingClientRect()
      return clientY < top + height / 2 ? 'before' : 'after'
    }
    return combine(
      draggable({
        element,
        getInitialData: () => ({ favorite: id }),
        onDragStart: () => setDragged(true),
        onDrop: () => setDragged(false),
      }),
      dropTargetForElements({
        element,
        canDrop: ({ source }) => typeof source.data.favorite === 'string' && source.data.favorite !== id,
        onDrag: ({ location }) => setEdge(sideAt(location.current.input.clientY)),
        onDragLeave: () => setEdge(null),
        onDrop: ({ source, location }) => {
          setEdge(null)
          latest.current(String(source.data.favorite), id, sideAt(location.current.input.clientY))
        },
      }),
    )
  }, [id, isShown])
  return { item, edge, isDragged }
}
