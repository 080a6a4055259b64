/** What the server says about a formula while it is typed: names, fault, value. */
import { useEffect, useRef, useState } from 'react'
import { app, useMode } from '../../../data/index.ts'
import type { FormulaReading } from '../../../data/shapes.ts'
import { graphOf } from '../editor/graph.ts'
import type { FormulaPlace } from './formula-place.tsx'

/** After the last change, so that typing does not send a request per character. */
const pause_ms = 250

/**
 * Reads the formula at a path of the node's settings after each change of the draft; null until the first answer, and while it is
 * not `active`. An answer is kept until the next one, so that names are offered without a wait.
 */
export function useFormula(place: FormulaPlace | null, path: string, active: boolean): FormulaReading | null {
  const mode = useMode()
  const [reading, setReading] = useState<FormulaReading | null>(null)
  const { flow, graph, node } = place ?? {}
  const task = place?.example.id ?? null
  const call = place?.example.call
  const isAsked = active || task !== null || call !== undefined
  // Completion waits for the first answer.
  const wait_ms = useRef(0)
  useEffect(() => {
    if (flow === undefined || graph === undefined || node === undefined || !isAsked) return
    const aborter = new AbortController()
    const timer = setTimeout(async () => {
      const { nodes, edges } = graphOf(graph)
      const body = {
        mode,
        graph: { nodes, edges },
        node,
        path,
        ...(task !== null && { task }),
        ...(call !== undefined && { call }),
      }
      const sent = { params: { id: flow }, body }
      try {
        const next = await app('POST automation-flows/{id}/formula', sent, { signal: aborter.signal, stepUp: false })
        wait_ms.current = pause_ms
        setReading(next)
      } catch {
        // Without an answer nothing is said about the formula; the check of the whole draft reports its faults.
        if (!aborter.signal.aborted) setReading(null)
      }
    }, wait_ms.current)
    return () => {
      clearTimeout(timer)
      aborter.abort()
    }
  }, [flow, graph, node, path, task, call, mode, isAsked])
  return reading
}
