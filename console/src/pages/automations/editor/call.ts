/** The inputs of flows that other flows call: as a trigger declares them, and as the settings of a call. */
import { inWords } from '../../../design/words.ts'
import { draftOf, type NodeDraft } from './graph.ts'
import { type FieldKind, kindOf, type NodeField } from './kinds.ts'

export interface CallInputDraft {
  readonly key: string
  readonly kind: string
  readonly required?: boolean
  readonly label?: string
}

export function callInputsOf(value: unknown): readonly CallInputDraft[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'object' && each !== null) : []
}

export function labelOfInput({ key, label }: CallInputDraft): string {
  return label === undefined || label === '' ? inWords(key) : label
}

/** A flow that others can call. */
export interface CallableFlow {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly inputs: readonly CallInputDraft[]
  readonly takesTask: boolean
}

/** Null if the flow cannot be called. */
export function callableOf(flow: {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly graph: Parameters<typeof draftOf>[0]
}): CallableFlow | null {
  const trigger = draftOf(flow.graph).nodes.find(({ type }) => type === 'trigger.call')
  if (trigger === undefined) return null
  const { id, name, status } = flow
  return {
    id,
    name,
    status,
    inputs: callInputsOf(trigger.config.inputs),
    takesTask: trigger.config.takes_task === true,
  }
}

const kinds_of_fields: Readonly<Record<string, FieldKind>> = {
  text: 'text',
  integer: 'number',
  number: 'number',
  boolean: 'yes_no',
}

/**
 * The settings of a node. A call has one for each input of the called flow, and a task only if that flow takes one; what the call has set
 * already stays. Of a flow that is not known the inputs are JSON.
 */
export function fieldsOfNode(
  { type, config }: Pick<NodeDraft, 'type' | 'config'>,
  flows: readonly CallableFlow[],
): readonly NodeField[] {
  const { fields } = kindOf(type)
  const flow = type === 'flow.call' ? flows.find(({ id }) => id === config.flow) : undefined
  if (flow === undefined || hasOthers(config.inputs, flow)) return fields
  return fields.flatMap((field): readonly NodeField[] => {
    if (field.path === 'task') return flow.takesTask || config.task !== undefined ? [field] : []
    return field.path === 'inputs' ? flow.inputs.map(fieldOf) : [field]
  })
}

/** Whether the call gives what the flow does not take: it is shown, so that it can be removed. */
function hasOthers(inputs: unknown, flow: CallableFlow): boolean {
  if (typeof inputs !== 'object' || inputs === null) return inputs !== undefined
  return Object.keys(inputs).some((key) => !flow.inputs.some((input) => input.key === key))
}

function fieldOf(input: CallInputDraft): NodeField {
  const kind = kinds_of_fields[input.kind] ?? 'json'
  return {
    path: `inputs.${input.key}`,
    label: labelOfInput(input),
    kind,
    computed: true,
    required: input.required === true,
  }
}
