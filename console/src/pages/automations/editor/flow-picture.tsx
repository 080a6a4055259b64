/** The picture of a flow that is only read, in a chunk of its own: beside a flow's facts, and with the path of a run. */
import './picture.css'
import type { AutomationFlow } from '@atrium/sdk'
import { lazy, Suspense, useMemo } from 'react'
import { Skeleton } from '../../../design/index.ts'
import { useCardWords } from './card-words.ts'
import { draftOf } from './graph.ts'
import type { NodeMark } from './node-card.tsx'
import type { NoteDraft } from './notes.ts'

const FlowCanvas = lazy(async () => ({ default: (await import('./flow-canvas.tsx')).FlowCanvas }))

interface FlowPictureProps {
  readonly flow: Pick<AutomationFlow, 'graph' | 'workspace'>
  /** Notes of the flow as it is; pictures of older versions have none. */
  readonly notes?: AutomationFlow['notes']
  readonly marks?: ReadonlyMap<string, NodeMark>
  readonly selected?: readonly string[]
  readonly onOpen?: (id: string) => void
}

export function FlowPicture({ flow, notes, ...canvas }: FlowPictureProps) {
  const words = useCardWords(flow.workspace)
  const graph = useMemo(
    () => ({ ...draftOf(flow.graph), ...(notes && { notes: notes as readonly NoteDraft[] }) }),
    [flow.graph, notes],
  )
  return (
    <div className="flow-picture">
      <Suspense fallback={<Skeleton height="100%" />}>
        <FlowCanvas graph={graph} words={words} {...canvas} />
      </Suspense>
    </div>
  )
}
