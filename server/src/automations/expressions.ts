/**
 * Expressions: CEL with limits (contract/16#expressions). `compileExpression` finds faults of the source when a graph
 * is written; a failure on some data is an ExpressionFailure. The cost of an evaluation is bounded, and data is never
 * read as code.
 */
import type { Environment } from '@marcbachmann/cel-js'
import { toCel, toJson } from './cel-data.ts'
import { ExpressionFailure } from './expressions/failure.ts'
import { type FieldScope, shapeOf, type ValueShape } from './expressions/fields.ts'
import { Meter, meterTree } from './expressions/meter.ts'
import { callOf, Misuse, type Names, partsOf, readTree, type Tree } from './expressions/syntax.ts'
import { variable_names, whilePaying } from './expressions/types.ts'
import { automation_limits } from './limits.ts'
import type { JsonKind } from './schema-values.ts'

/** The data of one evaluation by variable name; a variable that is left out does not exist. */
export type Variables = Readonly<Record<string, unknown>>

export interface Expression {
  readonly source: string
  readonly names: Names
  /** The kind of its value; undefined if it depends on the data. */
  readonly gives: JsonKind | undefined
  /** What is known of its value's fields; undefined if they depend on the data or were not checked. */
  readonly shape: ValueShape
  /** Returns the value as JSON. Throws ExpressionFailure. */
  evaluate(variables: Variables): unknown
}

/** Why a source is refused. `start` counts UTF-16 units from 0. */
export interface SourceFault {
  readonly message: string
  readonly start: number
}

export type Compiled =
  | { readonly ok: true; readonly expression: Expression }
  | { readonly ok: false; readonly fault: SourceFault }

const known_names: ReadonlySet<string> = new Set(variable_names)

interface LibraryError extends Error {
  readonly summary?: string
  readonly range?: { readonly start: number }
}

/** Compiles a source after checking its syntax, names and types, with a scope also the fields of items and of objects in lists. */
export function compileExpression(source: string, environment: Environment, scope?: FieldScope): Compiled {
  if (source.length > automation_limits.automation_expression_chars_max) return wrong('The expression is too long', 0)
  try {
    const parsed = environment.parse(source)
    // The package does not type its syntax tree; `Tree` has the parts that are read.
    const tree = parsed.ast as unknown as Tree
    const names = readTree(tree, known_names)
    const checked = parsed.check()
    if (!checked.valid) throw checked.error
    checkTimes(tree)
    const shape = scope === undefined ? undefined : shapeOf(tree, scope)
    return { ok: true, expression: { ...expression(source, names, tree, parsed), shape } }
  } catch (error) {
    if (error instanceof Misuse) return wrong(error.message, error.start)
    if (!(error instanceof Error)) throw error
    const { summary, message, range } = error as LibraryError
    return wrong(plain(summary ?? message), range?.start ?? 0)
  }
}

function wrong(message: string, start: number): Compiled {
  return { ok: false, fault: { message, start } }
}

/** The library's message without its prefixes and wrappers of type names. */
function plain(message: string): string {
  return message.replaceAll(/\$|(?<=dyn<[^<>]*)>|dyn<(?=[^<>]*>)/g, '').slice(0, 300)
}

function expression(
  source: string,
  names: Names,
  tree: Tree,
  parsed: (data: Record<string, unknown>) => unknown,
): Omit<Expression, 'shape'> {
  const meter = new Meter()
  meterTree(tree, meter)
  return {
    source,
    names,
    gives: kindOfType(tree.checkedType?.name ?? 'dyn'),
    evaluate(variables) {
      const data = readable(variables, names)
      meter.start()
      try {
        const value = whilePaying(
          (cost) => meter.spend(cost),
          () => parsed(data),
        )
        meter.end()
        return toJson(value)
      } catch (error) {
        throw failure(error, meter)
      }
    },
  }
}

function failure(error: unknown, meter: Meter): unknown {
  try {
    meter.end()
  } catch (over) {
    return over
  }
  if (error instanceof ExpressionFailure) return error
  if (!(error instanceof Error)) return error
  const message = plain((error as LibraryError).summary ?? error.message)
  return new ExpressionFailure('evaluation_failed', message.replace(/^Unknown variable: /, 'Missing variable '))
}

/** Variables that do not exist instead of being null. */
const objects: ReadonlySet<string> = new Set(['call', 'event', 'form', 'mail', 'request', 'task', 'run'])

/** The variables that the expression uses, as CEL values. */
function readable(variables: Variables, names: Names): Record<string, unknown> {
  const data: Record<string, unknown> = Object.create(null)
  for (const name of names.variables.keys()) {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined
    if (value === undefined || (value === null && objects.has(name))) continue
    data[name] = toCel(name === 'steps' ? namedSteps(value, names) : value)
  }
  return data
}

/** The steps that the expression uses; a missing output is left out. */
function namedSteps(steps: unknown, names: Names): Record<string, unknown> {
  const named: Record<string, unknown> = Object.create(null)
  for (const id of names.steps.keys()) {
    const step = (steps as Readonly<Record<string, { status: string; output: unknown }>>)[id]
    if (step === undefined) continue
    named[id] = step.output === null || step.output === undefined ? { status: step.status } : step
  }
  return named
}

/**
 * Timestamps serve only to read their parts, because values outside are Unix seconds. A text is refused because the
 * library would parse it in the machine's time zone.
 */
function checkTimes(tree: Tree): void {
  if (tree.checkedType?.name.startsWith('google.') === true) {
    throw new Misuse('The expression gives a timestamp; use its Unix seconds', tree.start)
  }
  checkTimestamps(tree)
}

function checkTimestamps(tree: Tree): void {
  if (tree.op === 'call' && callOf(tree).name === 'timestamp') {
    const [seconds] = callOf(tree).given
    if (seconds?.checkedType?.name !== 'int') throw new Misuse('timestamp() takes an int: Unix seconds', tree.start)
  }
  for (const part of partsOf(tree)) checkTimestamps(part)
}

const kinds: Readonly<Record<string, JsonKind>> = {
  string: 'string',
  int: 'int',
  double: 'double',
  bool: 'bool',
  null: 'null',
}

/** The JSON kind that a CEL type converts to. */
function kindOfType(type: string): JsonKind | undefined {
  if (type.startsWith('list')) return 'list'
  if (type.startsWith('map') || /^[$A-Z]/.test(type)) return 'map'
  return kinds[type]
}
