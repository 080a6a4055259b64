/** What a file would become with the present choices, computed again after each change. */
import { useEffect, useMemo, useState } from 'react'
import type { Api } from '../../../../../server/src/imports/api.ts'
import { bounded, lengthFaults } from '../../../../../server/src/imports/bounds.ts'
import type { Draft, Entry, Note } from '../../../../../server/src/imports/draft.ts'
import type { People } from '../../../../../server/src/imports/people.ts'
import { makePlan, type Plan } from '../../../../../server/src/imports/plan.ts'
import { Unusable } from '../../../../../server/src/imports/unusable.ts'
import { useMode } from '../../../data/index.ts'
import type { Choices } from './choices.ts'
import { apiOf, prepare } from './job.ts'
import { page_limits } from './limits.ts'
import type { ReadFile } from './read-file.ts'
import { isRowLeftOut } from './report-csv.ts'

export interface Preview {
  readonly plan: Plan
  /** The members of the organization, by their names. */
  readonly people: People
  /** The first ones: rows that are left out, then values. */
  readonly notes: readonly Note[]
  /** By what happens. A row with several faults counts once. */
  readonly counts: { readonly refused: number; readonly left_out: number; readonly cut: number }
  readonly drafts: readonly Draft[]
}

export type PreviewState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'ready'; readonly preview: Preview }

/** The last preview stays while the next one is computed. */
export function usePreview(file: ReadFile, choices: Choices): PreviewState {
  const mode = useMode()
  const api = useMemo(() => remembering(apiOf(mode)), [mode])
  const [state, setState] = useState<PreviewState>({ kind: 'loading' })
  useEffect(() => {
    let isOver = false
    const settle = (next: PreviewState) => {
      if (!isOver) setState(next)
    }
    compute(file, choices, api).then(
      (preview) => settle({ kind: 'ready', preview }),
      (error: unknown) => {
        const text = error instanceof Error ? error.message : String(error)
        settle({ kind: 'failed', message: error instanceof Unusable ? `“${file.name}” ${text}.` : text })
      },
    )
    return () => {
      isOver = true
    }
  }, [file, choices, api])
  return state
}

/** Reads each list once, because a preview is computed after each change. */
function remembering(api: Api): Api {
  const known = new Map<string, ReturnType<Api['send']>>()
  return {
    ...api,
    send(sending) {
      const answer = known.get(sending.path) ?? api.send(sending)
      known.set(sending.path, answer)
      answer.then(
        ({ status }) => status === 200 || known.delete(sending.path),
        () => known.delete(sending.path),
      )
      return answer
    },
  }
}

async function compute(file: ReadFile, choices: Choices, api: Api): Promise<Preview> {
  const drafts: Draft[] = []
  const rows: Note[] = []
  const values: Note[] = []
  const counts = { refused: 0, left_out: 0, cut: 0 }
  let last_refused = -1
  const preparing = await prepare(api, file, choices)
  const check = (entry: Entry): Entry => {
    const checked = bounded(entry, choices.cut, lengthFaults)
    if (checked.draft !== null && drafts.length < page_limits.first_tasks_shown) drafts.push(checked.draft)
    return checked
  }
  const plan = await makePlan({ ...preparing, check }, (note) => {
    const notes = isRowLeftOut(note) ? rows : values
    if (notes.length < page_limits.notes_shown) notes.push(note)
    if (note.action === 'changed' || (note.action === 'refused' && note.line === last_refused)) return
    if (note.action === 'refused') last_refused = note.line
    counts[note.action]++
  })
  const notes = [...rows, ...values].slice(0, page_limits.notes_shown)
  return { plan, people: preparing.people, notes, counts, drafts }
}
