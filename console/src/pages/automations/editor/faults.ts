/** What the server finds wrong with a draft: asked by a dry run while a person edits, and shown at the node and field. */

import type { AutomationFlow } from '@atrium/sdk'
import { ApiError } from '@atrium/sdk'
import { useEffect, useState } from 'react'
import { useAtrium } from '../../../data/index.ts'
import { type GraphFault, placeOf } from './fault-place.ts'
import { type GraphDraft, graphOf } from './graph.ts'

/** After the last change, so that typing does not send a request per character. */
const pause_ms = 600

export interface Check {
  readonly faults: readonly GraphFault[]
  /** `unknown` while a draft has not been checked or the server cannot be asked. */
  readonly state: 'unknown' | 'checking' | 'valid' | 'invalid'
}

export function useFaults(flow: AutomationFlow, graph: GraphDraft, isChanged: boolean): Check {
  const atrium = useAtrium()
  const [check, setCheck] = useState<Check>({ faults: [], state: 'unknown' })
  const { id, workspace, status } = flow
  useEffect(() => {
    if (!isChanged || status === 'active') {
      setCheck({ faults: [], state: isChanged ? 'unknown' : 'valid' })
      return
    }
    let isCurrent = true
    setCheck(({ faults }) => ({ faults, state: 'checking' }))
    const timer = setTimeout(async () => {
      const next = await checkDraft(
        () => atrium.dryRun((rehearsal) => rehearsal.automationFlows.update(id, { workspace, graph: graphOf(graph) })),
        graph,
      )
      if (isCurrent) setCheck(next)
    }, pause_ms)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [atrium, graph, id, isChanged, status, workspace])
  return check
}

async function checkDraft(rehearse: () => Promise<unknown>, graph: GraphDraft): Promise<Check> {
  try {
    await rehearse()
    return { faults: [], state: 'valid' }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) return { faults: [], state: 'unknown' }
    return { faults: faultsOf(error, graph), state: 'invalid' }
  }
}

/** The faults of a refused graph, by node and setting. */
function faultsOf(error: ApiError, graph: GraphDraft): readonly GraphFault[] {
  const { details, param, message } = error
  const all = details.length > 0 ? details : [{ param: param ?? '', message }]
  return all.map((fault) => ({ ...placeOf(fault.param, graph), message: withoutPath(fault.message) }))
}

/** The fault is shown at its field, so the path in front of the message is left out. */
function withoutPath(message: string): string {
  const text = message.replace(/^(?:The field )?`?graph[\w.[\]$]*`?,? /, '')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
