/** What the fields of a card get. */
import type { GraphFault } from '../editor/fault-place.ts'
import type { NodeDraft } from '../editor/graph.ts'
import type { NodeField } from '../editor/kinds.ts'
import type { Vocabulary } from './names.ts'
import type { Variable } from './variables.ts'

/** `field` names what is edited, so that typing in it is one step of undo. */
export type ChangeNode = (update: (node: NodeDraft) => NodeDraft, field: string) => void

export interface CardFieldsProps {
  readonly node: NodeDraft
  readonly words: Vocabulary
  readonly faults: readonly GraphFault[]
  readonly variables: readonly Variable[]
  readonly onChange: ChangeNode
}

/** What the control of one setting of a step gets. */
export interface StepFieldProps {
  readonly node: NodeDraft
  readonly words: Vocabulary
  readonly variables: readonly Variable[]
  readonly field: NodeField
  readonly value: unknown
  readonly error: string | undefined
  readonly onValue: (value: unknown) => void
  readonly onClose: (() => void) | undefined
}
