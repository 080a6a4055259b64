/** The picture of a flow that is only read, in a chunk of its own: beside a flow's facts, and with the path of a run. */
import './picture.css'
import type { AutomationFlow } from '@atrium/sdk'
import { lazy, Suspense } from 'react'
import { Skeleton } from '../../../design/index.ts'
import { useNameOf } from './choices.ts'
import { draftOf } from './graph.ts'
import type { NodeMark } from './node-card.tsx'

const FlowCanvas = lazy(async () => ({ default: (await import('./flow-canvas.tsx')).FlowCanvas }))

interface FlowPictureProps {
  readonly flow: Pick<AutomationFlow, 'graph' | 'workspace'>
  readonly marks?: ReadonlyMap<string, NodeMark>
  readonly selected?: readonly string[]
  readonly onOpen?: (id: string) => void
}

export function FlowPicture({ flow, ...canvas }: FlowPictureProps) {
  const nameOf = useNameOf(flow.workspace)
  return (
    <div className="flow-picture">
      <Suspense fallback={<Skeleton height="100%" />}>
        <FlowCanvas graph={draftOf(flow.graph)} nameOf={nameOf} {...canvas} />
      </Suspense>
    </div>
  )
}
