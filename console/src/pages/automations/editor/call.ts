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
  return { id, name, status, inputs: callInputsOf(trigger.config.inputs) }
}

const kinds_of_fields: Readonly<Record<string, FieldKind>> = {
  text: 'text',
  integer: 'number',
  number: 'number',
  boolean: 'yes_no',
}

/**
 * The settings of a node. A call has one for each input of the called flow, and for what else it gives, so that it can be removed. Until the
 * flows are loaded, and of a flow that cannot be called, these are all: fields do not move when the flows arrive.
 */
export function fieldsOfNode(
  { type, config }: Pick<NodeDraft, 'type' | 'config'>,
  flows: readonly CallableFlow[],
): readonly NodeField[] {
  const fields = kindOf(type).fields.filter((field) => isAsked({ type, config }, field))
  if (type !== 'flow.call') return fields
  const flow = flows.find(({ id }) => id === config.flow)
  const declared = flow?.inputs ?? []
  const given = typeof config.inputs === 'object' && config.inputs !== null ? config.inputs : {}
  const others = Object.entries(given).filter(([key]) => !declared.some((input) => input.key === key))
  const inputs = [
    ...declared,
    ...others.map(([key, value]) => ({ key, kind: kindOfValue(value), required: flow === undefined })),
  ]
  return fields.flatMap((field) => (field.path === 'inputs' ? inputs.map(fieldOf) : [field]))
}

/** Tasks are either listed, or computed from a list. */
function isAsked({ type, config }: Pick<NodeDraft, 'type' | 'config'>, { path }: NodeField): boolean {
  if (type !== 'task.create_many') return true
  if (path === 'tasks') return config.items === undefined
  const isOfList = path === 'items.$expr' || path === 'max_items' || path === 'on_overflow' || path.startsWith('set.')
  return !isOfList || config.items !== undefined
}

export function kindOfValue(value: unknown): string {
  if (typeof value === 'string' || (typeof value === 'object' && value !== null && '$template' in value)) return 'text'
  return typeof value === 'number' || typeof value === 'boolean' ? typeof value : 'object'
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
