/**
 * Evaluates the expressions and templates of a step's config. Results are data: they are not scanned for expressions
 * again, and they must satisfy the schema that literals satisfy (contract/16#values).
 */
import { kindOf } from './cel-data.ts'
import { type StepInput, withCorrection, withoutCorrected } from './correction.ts'
import { ExpressionFailure, type ExpressionFailureCode } from './expressions/failure.ts'
import type { Variables } from './expressions.ts'
import type { Program } from './program.ts'
import type { Expression, NodeOf, StepNode, StepType } from './schema.ts'
import { nodeSchemas } from './schema-nodes.ts'
import { at, checkShape, computedKey, isRecord, noFindings, type Schema } from './shape.ts'
import { httpFaults } from './validate/http.ts'

/** A config with values in place of expressions and templates. */
type Resolved<T> = T extends Expression | { $template: string }
  ? never
  : T extends readonly (infer I)[]
    ? Resolved<I>[]
    : T extends object
      ? { [K in keyof T]: Resolved<T[K]> }
      : T

type PlainStepType = Exclude<StepType, 'condition' | 'switch' | 'for_each' | 'task.create_many' | 'task.update_many'>

/** What a step does. A decision is already complete: its `port` or `items`, and its `output`, go into the journal. */
export type StepInputs =
  | { readonly type: 'condition'; readonly port: 'true' | 'false'; readonly output: { readonly result: boolean } }
  | { readonly type: 'switch'; readonly port: string; readonly output: { readonly port: string } }
  | {
      readonly type: 'for_each'
      readonly items: number
      readonly output: { readonly count: number; readonly items: readonly unknown[] }
    }
  | CreateManyInputs
  | UpdateManyInputs
  | { [T in PlainStepType]: { readonly type: T; readonly config: Resolved<NodeOf<T>['config']> } }[PlainStepType]

type ManyConfig<T extends 'task.create_many' | 'task.update_many'> = Resolved<NodeOf<T>['config']>

/** The tasks to create, whichever way they were given. */
export interface CreateManyInputs {
  readonly type: 'task.create_many'
  readonly config: Pick<ManyConfig<'task.create_many'>, 'parent' | 'project' | 'column'> & {
    readonly tasks: NonNullable<ManyConfig<'task.create_many'>['tasks']>
  }
}

/** The tasks are found when the step acts; the fields of each are computed then. */
export interface UpdateManyInputs {
  readonly type: 'task.update_many'
  /** `set` has the fields that are the same for all tasks. */
  readonly config: Omit<ManyConfig<'task.update_many'>, 'set'> & { readonly set?: object }
  readonly fieldsFor: (
    item: object,
    index: number,
  ) =>
    | { readonly ok: true; readonly set: ManyConfig<'task.update_many'>['set'] }
    | { readonly ok: false; readonly failure: StepFailure }
}

export interface StepFailure {
  readonly code: ExpressionFailureCode | 'too_many_items'
  readonly message: string
  /** The path in the node, such as `config.set.title`. */
  readonly param: string
}

export type Resolution =
  | { readonly ok: true; readonly inputs: StepInputs }
  | { readonly ok: false; readonly failure: StepFailure }

/**
 * The inputs of a step with this data, or why they cannot be computed. That failure is final: a retry would fail too. `corrected` are
 * values in place of those of the graph.
 */
export function resolveInputs(
  program: Program,
  node: string,
  variables: Variables,
  corrected: StepInput = {},
): Resolution {
  const step = program.steps.get(node)?.node
  if (step === undefined) throw new RangeError(`The program has no step ${node}.`)
  return tried(() => ({ ok: true, inputs: inputsOf(program, step, variables, corrected) }))
}

function tried<T>(work: () => T): T | { readonly ok: false; readonly failure: StepFailure } {
  try {
    return work()
  } catch (error) {
    if (error instanceof StepRefusal) return { ok: false, failure: error.failure }
    throw error
  }
}

/**
 * Whether a trigger's `when` allows a run; without `when` every run is allowed. A failure counts as no and is returned.
 */
export function triggerAllows(
  program: Program,
  trigger: string,
  variables: Variables,
): { readonly allows: boolean; readonly failure: StepFailure | null } {
  const node = program.triggers.get(trigger)
  if (node === undefined) throw new RangeError(`The program has no trigger ${trigger}.`)
  if (!('when' in node.config) || node.config.when === undefined) return { allows: true, failure: null }
  try {
    return { allows: decide(program, node.config.when, variables, 'config.when'), failure: null }
  } catch (error) {
    if (error instanceof StepRefusal) return { allows: false, failure: error.failure }
    throw error
  }
}

class StepRefusal extends Error {
  readonly failure: StepFailure

  constructor(failure: StepFailure) {
    super(failure.message)
    this.failure = failure
  }
}

function inputsOf(program: Program, step: StepNode, variables: Variables, corrected: StepInput): StepInputs {
  if (step.type === 'condition') {
    const result = decide(program, step.config.expr, variables, 'config.expr')
    return { type: step.type, port: result ? 'true' : 'false', output: { result } }
  }
  if (step.type === 'switch') {
    const met = step.config.cases.find(({ expr }, i) => decide(program, expr, variables, `config.cases[${i}].expr`))
    const port = met?.port ?? 'default'
    return { type: step.type, port, output: { port } }
  }
  if (step.type === 'for_each') return itemsOf(program, step, variables)
  if (step.type === 'task.create_many') return tasksToCreate(program, step, variables, corrected)
  if (step.type === 'task.update_many') return changesOfTasks(program, step, variables, corrected)
  const { output_schema, ...computed } = withoutCorrected(step.config, corrected)
  const resolved = {
    ...(resolve(program, computed, variables, 'config') as Record<string, unknown>),
    ...(output_schema === undefined ? {} : { output_schema }),
  }
  const config = { ...withCorrection(resolved, corrected) }
  checkConfig(step, config)
  return { type: step.type, config } as StepInputs
}

function itemsOf(program: Program, step: NodeOf<'for_each'>, variables: Variables): StepInputs {
  const items = listOf(program, step.config, variables)
  return { type: 'for_each', items: items.length, output: { count: items.length, items } }
}

interface ListSettings {
  readonly items: Expression
  readonly max_items: number
  readonly on_overflow?: 'fail' | 'truncate'
}

function listOf(
  program: Program,
  { items, max_items, on_overflow }: ListSettings,
  variables: Variables,
): readonly unknown[] {
  const all = evaluate(program, items.$expr, variables, 'config.items')
  if (!Array.isArray(all)) throw wrongType('config.items', 'a list', all)
  if (all.length > max_items && on_overflow !== 'truncate') {
    const message = `The list has ${all.length} items; \`max_items\` allows ${max_items}.`
    throw new StepRefusal({ code: 'too_many_items', message, param: 'config.items' })
  }
  return all.slice(0, max_items)
}

/** Corrected `tasks` stand in place of the list, whose formulas are then not evaluated. */
function tasksToCreate(
  program: Program,
  step: NodeOf<'task.create_many'>,
  variables: Variables,
  corrected: StepInput,
): CreateManyInputs {
  const { items, max_items, on_overflow, set, ...rest } = step.config
  const settings = resolve(program, withoutCorrected(rest, corrected), variables, 'config') as Record<string, unknown>
  const isListed = items !== undefined && max_items !== undefined && corrected.tasks === undefined
  const list = { items: items as Expression, max_items: max_items ?? 0, ...(on_overflow && { on_overflow }) }
  const tasks = isListed ? tasksOfItems(program, listOf(program, list, variables), set ?? {}, variables) : {}
  const { tasks: created, ...config } = withCorrection({ ...settings, ...tasks }, corrected)
  // An empty list creates no task, which a graph cannot say.
  const isNone = Array.isArray(created) && created.length === 0
  checkConfig(step, isNone ? config : { ...config, tasks: created })
  // The schema that was checked is that of the type.
  return { type: step.type, config: { ...config, tasks: created } } as CreateManyInputs
}

function tasksOfItems(program: Program, items: readonly unknown[], set: object, variables: Variables) {
  const of = (item: unknown, index: number) =>
    resolve(program, set, { ...variables, item, index }, `config.tasks[${index}]`)
  return { tasks: items.map(of) }
}

function changesOfTasks(
  program: Program,
  step: NodeOf<'task.update_many'>,
  variables: Variables,
  corrected: StepInput,
): UpdateManyInputs {
  const { set, ...computed } = withoutCorrected(step.config, corrected)
  const { set: correctedSet, ...others } = corrected
  const settings = withCorrection(resolve(program, computed, variables, 'config') as Record<string, unknown>, others)
  checkConfig(step, { ...settings, set: { title: '-' } })
  const fieldsFor: UpdateManyInputs['fieldsFor'] = (item, index) =>
    tried(() => {
      const own = resolve(program, set ?? {}, { ...variables, item, index }, 'config.set')
      const fields = withCorrection({ set: own }, correctedSet === undefined ? {} : { set: correctedSet }).set
      checkConfig(step, { ...settings, set: fields })
      // The schema that was checked is that of the type.
      return { ok: true, set: fields as ManyConfig<'task.update_many'>['set'] }
    })
  const same = Object.entries(set ?? {}).filter(([, value]) => !hasFormula(value))
  const shown = withCorrection(
    { set: Object.fromEntries(same) },
    correctedSet === undefined ? {} : { set: correctedSet },
  )
  // The schema that was checked is that of the type.
  return { type: step.type, config: { ...settings, ...shown }, fieldsFor } as UpdateManyInputs
}

function hasFormula(value: unknown): boolean {
  if (computedKey(value) !== undefined) return true
  return typeof value === 'object' && value !== null && Object.values(value).some(hasFormula)
}

function decide(program: Program, source: string, variables: Variables, param: string): boolean {
  const value = evaluate(program, source, variables, param)
  if (typeof value === 'boolean') return value
  throw wrongType(param, 'true or false', value)
}

function wrongType(param: string, needed: string, value: unknown): StepRefusal {
  const message = `${param} must be ${needed}, but the expression gave a value of type ${kindOf(value)}.`
  return new StepRefusal({ code: 'wrong_type', message, param })
}

function evaluate(program: Program, source: string, variables: Variables, param: string): unknown {
  return attempt(param, () => program.expression(source).evaluate(variables))
}

function attempt<T>(param: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof ExpressionFailure)) throw error
    throw new StepRefusal({ code: error.code, message: `${param}: ${error.message}.`, param })
  }
}

/** Evaluates everything computed in a value. Arrays and objects are traversed, results are not. */
function resolve(program: Program, value: unknown, variables: Variables, path: string): unknown {
  const key = computedKey(value)
  if (key === '$expr') return evaluate(program, (value as Expression).$expr, variables, path)
  if (key === '$template') {
    return attempt(path, () => program.render((value as { $template: string }).$template, variables))
  }
  if (Array.isArray(value)) return value.map((item, i) => resolve(program, item, variables, at(path, i)))
  if (!isRecord(value)) return value
  const fields = Object.entries(value).map(([name, field]) => [
    name,
    resolve(program, field, variables, at(path, name)),
  ])
  return Object.fromEntries(fields)
}

/** Checks that the values satisfy the schema that literals satisfy. */
function checkConfig(step: StepNode, config: Record<string, unknown>): void {
  const found = noFindings({ resolved: true })
  checkShape((nodeSchemas[step.type] as Schema).properties?.config as Schema, config, 'config', found)
  if (step.type === 'http.request') {
    httpFaults(config, 'config', (param, what) => found.faults.push({ param, message: `${param} ${what}.` }))
  }
  const [first] = found.faults
  if (first !== undefined) throw new StepRefusal({ code: 'wrong_type', ...first })
}
