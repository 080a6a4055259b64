/**
 * The graph that is being edited, with undo. Unsaved changes are kept in the tab's storage under the flow's revision, so a
 * reload does not lose them; a flow that changed meanwhile starts from its new graph.
 */
import type { AutomationFlow } from '@atrium/sdk'
import { useEffect, useState } from 'react'
import { draftOf, type GraphDraft } from './graph.ts'
import { useHistory } from './history.ts'

export function useDraft(flow: AutomationFlow) {
  const [base, setBase] = useState({ graph: draftOf(flow.graph), revision: flow.revision })
  const history = useHistory<GraphDraft>(keptDraft(flow) ?? base.graph)
  const [undone, setUndone] = useState(0)
  const graph = history.value
  const isChanged = graph !== base.graph && JSON.stringify(graph) !== JSON.stringify(base.graph)
  const { reset } = history
  const { id, revision } = flow
  useEffect(() => {
    if (isChanged) sessionStorage.setItem(keyOf(id), JSON.stringify({ revision: base.revision, graph }))
    else sessionStorage.removeItem(keyOf(id))
  }, [id, isChanged, graph, base.revision])
  useEffect(() => {
    // The flow changed elsewhere, or was only paused: an untouched draft follows.
    if (revision === base.revision) return
    const next = draftOf(flow.graph)
    if (!isChanged) reset(next)
    setBase({ graph: next, revision })
  }, [base.revision, flow.graph, isChanged, reset, revision])
  const step = (action: () => void) => () => {
    setUndone((count) => count + 1)
    action()
  }
  return {
    graph,
    isChanged,
    change: history.change,
    undo: step(history.undo),
    redo: step(history.redo),
    canUndo: history.canUndo,
    canRedo: history.canRedo,
    /** Changes with each undo and redo, so that fields show the value again. */
    undone,
    saved: (flowAfter: AutomationFlow) => {
      const next = draftOf(flowAfter.graph)
      setBase({ graph: next, revision: flowAfter.revision })
      reset(next)
    },
  }
}

function keyOf(flow: string): string {
  return `atrium.flow-draft.${flow}`
}

function keptDraft({ id, revision }: AutomationFlow): GraphDraft | undefined {
  try {
    const kept = JSON.parse(sessionStorage.getItem(keyOf(id)) ?? 'null') as {
      revision: number
      graph: GraphDraft
    } | null
    return kept?.revision === revision ? kept.graph : undefined
  } catch {
    return undefined
  }
}
