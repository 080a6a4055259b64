/**
 * The corrected settings of a step from which a rerun starts (contract/16#corrected-steps). They are values, as computed ones are, and
 * stand in place of what the graph has. Pure.
 */
import type { Fault } from '../api/declare/errors.ts'
import type { Known } from './known.ts'
import type { StepNode } from './schema.ts'
import { nodeSchemas } from './schema-nodes.ts'
import { checkShape, isRecord, noFindings, type Reference, type Schema } from './shape.ts'
import { configFaults } from './validate/config.ts'

export type StepInput = Readonly<Record<string, unknown>>

/** Settings with named fields of their own: each field is corrected by itself. */
const with_fields: ReadonlySet<string> = new Set(['set', 'overrides', 'headers', 'input', 'inputs'])

/** What a step computes for each task is corrected as the tasks that it gives. */
const replaced: Readonly<Record<string, readonly string[]>> = {
  'task.create_many': ['items', 'max_items', 'on_overflow', 'set'],
}

/** These steps decide by formulas alone. */
const deciding: ReadonlySet<string> = new Set(['condition', 'switch', 'for_each'])

export function canBeCorrected({ type }: Pick<StepNode, 'type'>): boolean {
  return !deciding.has(type)
}

/** The settings with those of `input` in their place. */
export function withCorrection(config: StepInput, input: StepInput): StepInput {
  const corrected = Object.entries(input).map(([name, value]) => {
    const before = config[name]
    const isMerged = with_fields.has(name) && isRecord(before) && isRecord(value)
    return [name, isMerged ? { ...before, ...value } : value]
  })
  return { ...config, ...Object.fromEntries(corrected) }
}

/** The settings that are still computed: a formula that failed may be what is corrected. */
export function withoutCorrected(config: StepInput, input: StepInput): StepInput {
  const left = Object.entries(config).flatMap(([name, value]) => {
    if (!Object.hasOwn(input, name)) return [[name, value]]
    const sent = input[name]
    if (!with_fields.has(name) || !isRecord(value) || !isRecord(sent)) return []
    return [[name, Object.fromEntries(Object.entries(value).filter(([field]) => !Object.hasOwn(sent, field)))]]
  })
  return Object.fromEntries(left)
}

/** The names of what is corrected: `body`, `set.title`. */
export function correctedFields(input: StepInput): string[] {
  return Object.entries(input).flatMap(([name, value]) =>
    with_fields.has(name) && isRecord(value) ? Object.keys(value).map((field) => `${name}.${field}`) : [name],
  )
}

export interface CheckedCorrection {
  readonly faults: readonly Fault[]
  readonly references: readonly Reference[]
  /** The settings of the step with the corrected ones. */
  readonly config: StepInput
}

/** Checks corrected settings as the settings of a graph are checked; `path` is that of the node in faults and references. */
export function checkCorrection(node: StepNode, input: StepInput, path: string, known: Known): CheckedCorrection {
  const found = noFindings({ resolved: true })
  checkShape(partial(node.type, nodeSchemas[node.type] as Schema), input, `${path}.config`, found)
  const config = withCorrection(withoutReplaced(node, input), input)
  const sketch = { id: node.id, type: node.type, index: 0, path, parent: null, on_error: 'fail' as const, config }
  // Combinations are only checked of values that have the right form.
  const combined = found.faults.length === 0 ? configFaults(sketch, known) : []
  return { faults: [...found.faults, ...combined], references: found.references, config }
}

/** The settings of the graph beside those of the correction: sent `tasks` stand in place of a list of items. */
function withoutReplaced({ type, config }: StepNode, { tasks }: StepInput): StepInput {
  if (tasks === undefined) return config
  return Object.fromEntries(Object.entries(config).filter(([name]) => replaced[type]?.includes(name) !== true))
}

/** The schema of a node's settings, none of which must be sent. */
function partial(type: string, node: Schema): Schema {
  const config = node.properties?.config ?? {}
  const fields = Object.entries(config.properties ?? {})
    .filter(([name]) => replaced[type]?.includes(name) !== true)
    .map(([name, schema]) => [name, with_fields.has(name) ? { ...schema, required: [] } : schema])
  return { ...config, required: [], properties: Object.fromEntries(fields) }
}
