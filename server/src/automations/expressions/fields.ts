/**
 * Fields that the types of CEL leave unchecked: those of an `item`, and of objects in lists. Where their types are known, a path that no
 * value has is refused when a graph is written, because it would fail each run (contract/16#expressions).
 */
import { callOf, Misuse, partsOf, type Tree } from './syntax.ts'
import { named_types, type ObjectType, type OutputName, output_types, subject_type } from './types.ts'

/** What is known of a value: its fields, its items, or that it has neither; undefined if it depends on the data. */
export type ValueShape =
  | { readonly fields: ObjectType }
  | { readonly items: ValueShape }
  | { readonly scalar: string }
  | undefined

/** The variables whose fields are known. */
export interface FieldScope {
  /** The output type of each step; null if it has none. */
  readonly outputs: Readonly<Record<string, OutputName | null>>
  readonly item: ValueShape
}

type Made = ReadonlyMap<string, ValueShape>

/** The shape of an expression's value. Throws Misuse for a field that a value cannot have. */
export function shapeOf(tree: Tree, scope: FieldScope): ValueShape {
  return new FieldReader(scope).shapeOf(tree, new Map())
}

/** The shape of a declared type. */
function shapeOfType(type: string | ObjectType | undefined): ValueShape {
  if (typeof type === 'object') return { fields: type }
  const inner = /^list<(.+)>$/.exec(type ?? '')?.[1]
  if (inner !== undefined) return { items: shapeOfType(inner) }
  if (type === 'string' || type === 'int' || type === 'bool' || type === 'double') return { scalar: type }
  return type !== undefined && Object.hasOwn(named_types, type) ? shapeOfType(named_types[type]) : undefined
}

/** Longer lists of keys are left out of a message. */
const listed_keys_max = 10

class FieldReader {
  readonly #roots: Readonly<Record<string, ValueShape>>

  constructor({ outputs, item }: FieldScope) {
    const steps = Object.entries(outputs).map(([id, output]): [string, ObjectType] => [
      id,
      { status: 'string', ...(output !== null && { output: output_types[output] }) },
    ])
    this.#roots = { task: { fields: subject_type }, steps: { fields: Object.fromEntries(steps) }, item }
  }

  shapeOf(tree: Tree, made: Made): ValueShape {
    const { op, args } = tree
    if (op === 'id') {
      const name = args as string
      if (made.has(name)) return made.get(name)
      return Object.hasOwn(this.#roots, name) ? this.#roots[name] : undefined
    }
    if (op === '.') {
      const [left, name] = args as [Tree, string]
      return fieldOf(this.shapeOf(left, made), name, tree)
    }
    if (op === '[]') return this.#element(args as [Tree, Tree], tree, made)
    if (op === 'rcall') return this.#ofMethod(tree, made)
    // Whether a field is there may be asked of any value.
    const [asked] = op === 'call' && callOf(tree).name === 'has' ? callOf(tree).given : []
    for (const part of partsOf(asked?.op === '.' ? asked : tree)) this.shapeOf(part, made)
    return undefined
  }

  #element([left, right]: [Tree, Tree], tree: Tree, made: Made): ValueShape {
    const of = this.shapeOf(left, made)
    this.shapeOf(right, made)
    if (of !== undefined && 'items' in of) return of.items
    return right.op === 'value' && typeof right.args === 'string' ? fieldOf(of, right.args, tree) : undefined
  }

  #ofMethod(tree: Tree, made: Made): ValueShape {
    const { name, receiver, given } = callOf(tree)
    const list = receiver === undefined ? undefined : this.shapeOf(receiver, made)
    const [variable, ...body] = given
    const isLoop = ['all', 'exists', 'exists_one', 'filter', 'map'].includes(name) && body.length > 0
    if (!isLoop || variable === undefined) {
      for (const part of given) this.shapeOf(part, made)
      return undefined
    }
    const item = list !== undefined && 'items' in list ? list.items : undefined
    const inner = new Map(made).set(variable.args as string, item)
    const shapes = body.map((part) => this.shapeOf(part, inner))
    if (name === 'filter') return list
    return name === 'map' ? { items: shapes.at(-1) } : undefined
  }
}

function fieldOf(shape: ValueShape, name: string, { start }: Tree): ValueShape {
  if (shape === undefined) return undefined
  if ('scalar' in shape) throw new Misuse(`Cannot index type '${shape.scalar}'`, start)
  if ('items' in shape) throw new Misuse("Cannot index type 'list' by a name", start)
  const keys = Object.keys(shape.fields)
  if (keys.includes(name)) return shapeOfType(shape.fields[name])
  const accepted = keys.length <= listed_keys_max ? `; the keys are ${keys.join(', ')}` : ''
  throw new Misuse(`No such key: ${name}${accepted}`, start)
}
