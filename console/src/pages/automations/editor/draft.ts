/**
 * The graph that is being edited and its notes, with undo. Unsaved changes are kept in the tab's storage, so a
 * reload does not lose them; a flow that changed meanwhile starts from its new graph.
 */
import type { AutomationFlow } from '@atrium/sdk'
import { useEffect, useState } from 'react'
import { draftOf, type GraphDraft, graphOf } from './graph.ts'
import { useHistory } from './history.ts'
import type { NoteDraft } from './notes.ts'

export function useDraft(flow: AutomationFlow) {
  const [base, setBase] = useState(() => ({ graph: draftOfFlow(flow), revision: flow.revision }))
  const history = useHistory<GraphDraft>(keptDraft(flow) ?? base.graph)
  const [undone, setUndone] = useState(0)
  const graph = history.value
  const isChanged = graph !== base.graph && JSON.stringify(graph) !== JSON.stringify(base.graph)
  const { reset } = history
  const { id, revision } = flow
  useEffect(() => {
    if (isChanged) sessionStorage.setItem(keyOf(id), JSON.stringify({ base: base.graph, graph }))
    else sessionStorage.removeItem(keyOf(id))
  }, [id, isChanged, graph, base.graph])
  useEffect(() => {
    // The flow changed elsewhere, or was only paused: an untouched draft follows.
    if (revision <= base.revision) return
    const next = draftOfFlow(flow)
    if (!isChanged) reset(next, graph)
    setBase({ graph: next, revision })
  }, [base.revision, flow, graph, isChanged, reset, revision])
  const step = (action: () => void) => () => {
    setUndone((count) => count + 1)
    action()
  }
  return {
    graph,
    isChanged,
    /** Whether steps, edges or settings differ, and whether notes do: each is sent alone. */
    changedParts: changedParts(graph, base.graph),
    change: history.change,
    undo: step(history.undo),
    redo: step(history.redo),
    canUndo: history.canUndo,
    canRedo: history.canRedo,
    /** Changes with each undo and redo, so that fields show the value again. */
    undone,
    /** The draft as it was sent is saved; what was changed meanwhile stays, and is still to be saved. */
    saved: (flowAfter: AutomationFlow) => {
      const next = draftOfFlow(flowAfter)
      setBase({ graph: next, revision: flowAfter.revision })
      reset(next, graph)
    },
  }
}

function changedParts(graph: GraphDraft, base: GraphDraft) {
  const differs = (one: unknown, other: unknown) => JSON.stringify(one) !== JSON.stringify(other)
  return { graph: differs(graphOf(graph), graphOf(base)), notes: differs(graph.notes, base.notes) }
}

function keyOf(flow: string): string {
  return `atrium.flow-draft.${flow}`
}

/** The flow's graph and its notes: what the editor changes. */
function draftOfFlow({ graph, notes }: AutomationFlow): GraphDraft {
  // A color that a later server adds is kept as it is.
  return { ...draftOf(graph), notes: notes as readonly NoteDraft[] }
}

/** A draft of what the flow still is. A pause or the name of a version changes nothing of it. */
function keptDraft(flow: AutomationFlow): GraphDraft | undefined {
  try {
    const kept = JSON.parse(sessionStorage.getItem(keyOf(flow.id)) ?? 'null') as {
      base: GraphDraft
      graph: GraphDraft
    } | null
    return JSON.stringify(kept?.base) === JSON.stringify(draftOfFlow(flow)) ? kept?.graph : undefined
  } catch {
    return undefined
  }
}
