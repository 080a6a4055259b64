/**
 * A JSON Schema validator for the keywords that the OpenAPI document uses, compiled to functions. In addition an object may
 * have no field that its schema does not name.
 */

export interface Schema {
  readonly [keyword: string]: unknown
}

/** Adds each fault with its path to `faults`. */
export type Check = (value: unknown, path: string, faults: string[]) => void

/** Keywords without effect on validity. */
const annotations = new Set([
  'description',
  'example',
  'examples',
  'default',
  'title',
  'deprecated',
  '$schema',
  'discriminator',
])

const formats: Readonly<Record<string, RegExp>> = {
  date: /^\d{4}-\d{2}-\d{2}$/,
  email: /^[^@\s]+@[^@\s]+$/,
  uri: /^[a-z][a-z0-9+.-]*:\S+$/i,
}

export class Schemas {
  private readonly root: Schema
  private readonly made = new Map<Schema, Check>()

  /** `root`: the document that references point into. */
  constructor(root: Schema) {
    this.root = root
  }

  /** Follows references. */
  resolve(value: Schema): Schema {
    let found = value
    while (typeof found.$ref === 'string') {
      let inner: unknown = this.root
      for (const name of found.$ref.slice(2).split('/')) inner = (inner as Schema)[name]
      found = inner as Schema
    }
    return found
  }

  check(unresolved: Schema): Check {
    const schema = this.resolve(unresolved)
    const known = this.made.get(schema)
    if (known !== undefined) return known
    // A schema may contain itself, so a placeholder resolves later.
    let whole: Check | null = null
    this.made.set(schema, (value, path, faults) => whole?.(value, path, faults))
    const parts = Object.keys(schema).flatMap((keyword) => this.part(schema, keyword))
    whole = (value, path, faults) => {
      for (const part of parts) part(value, path, faults)
    }
    this.made.set(schema, whole)
    return whole
  }

  private part(schema: Schema, keyword: string): Check[] {
    if (annotations.has(keyword) || keyword.startsWith('x-')) return []
    const compile = keywords[keyword]
    if (compile === undefined) throw new Error(`proof/schema.ts does not support the keyword "${keyword}"`)
    return [compile(schema[keyword] as never, schema, this)]
  }
}

type Compile = (value: never, schema: Schema, schemas: Schemas) => Check

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A check of values of one type, with one sentence for its fault. */
function unless<T>(is: (value: unknown) => value is T, fits: (value: T) => boolean, fault: string): Check {
  return (value, path, faults) => {
    if (is(value) && !fits(value)) faults.push(`${path} ${fault}`)
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown): value is number => typeof value === 'number'
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

const kinds: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: isText,
  number: isNumber,
  integer: Number.isSafeInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: isList,
  object: isObject,
}

function anyOf(given: readonly Schema[], schemas: Schemas): Check {
  const alternatives = given.map((each) => schemas.check(each))
  return (value, path, faults) => {
    let least: string[] | null = null
    for (const check of alternatives) {
      const found: string[] = []
      check(value, path, found)
      if (found.length === 0) return
      if (least === null || found.length < least.length) least = found
    }
    faults.push(...(least ?? []))
  }
}

/** Merges the schemas of one object, so that each knows the fields of the others. */
function merged(given: readonly Schema[], schemas: Schemas): Schema {
  const parts = given.map((each) => schemas.resolve(each))
  return {
    type: 'object',
    required: parts.flatMap(({ required }) => (required as string[] | undefined) ?? []),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
  }
}

function properties(given: Readonly<Record<string, Schema>>, schema: Schema, schemas: Schemas): Check {
  const known = new Map(Object.entries(given).map(([name, each]) => [name, schemas.check(each)]))
  const isClosed = schema.additionalProperties === undefined && schema.patternProperties === undefined
  return (value, path, faults) => {
    if (!isObject(value)) return
    for (const [name, inner] of Object.entries(value)) {
      const check = known.get(name)
      if (check !== undefined) check(inner, `${path}.${name}`, faults)
      else if (isClosed) faults.push(`${path}.${name} is not documented`)
    }
  }
}

function additional(given: Schema | boolean, schema: Schema, schemas: Schemas): Check {
  if (given === true) return () => {}
  const check = given === false ? null : schemas.check(given)
  const named = new Set(Object.keys((schema.properties as object) ?? {}))
  return (value, path, faults) => {
    if (!isObject(value)) return
    for (const [name, inner] of Object.entries(value)) {
      if (named.has(name)) continue
      if (check === null) faults.push(`${path}.${name} is not documented`)
      else check(inner, `${path}.${name}`, faults)
    }
  }
}

const keywords: Readonly<Record<string, Compile>> = {
  type: (given: string | readonly string[]) => {
    const allowed = [given].flat().map((name) => kinds[name] as (value: unknown) => boolean)
    return (value, path, faults) => {
      if (!allowed.some((is) => is(value))) faults.push(`${path} is not of type ${given}`)
    }
  },
  const: (given: unknown) => (value, path, faults) => {
    if (value !== given) faults.push(`${path} is not ${JSON.stringify(given)}`)
  },
  enum: (given: readonly unknown[]) => (value, path, faults) => {
    if (!given.includes(value)) faults.push(`${path} is not one of ${JSON.stringify(given)}`)
  },
  minLength: (given: number) => unless(isText, (text) => text.length >= given, 'is too short'),
  maxLength: (given: number) =>
    unless(isText, (text) => text.length <= given || [...text].length <= given, 'is too long'),
  pattern: (given: string) => {
    const pattern = new RegExp(given, 'u')
    return unless(isText, (text) => pattern.test(text), `is not of the form ${given}`)
  },
  format: (given: string) => unless(isText, (text) => formats[given]?.test(text) ?? true, `is not a valid ${given}`),
  minimum: (given: number) => unless(isNumber, (number) => number >= given, 'is too small'),
  maximum: (given: number) => unless(isNumber, (number) => number <= given, 'is too large'),
  minItems: (given: number) => unless(isList, (list) => list.length >= given, 'has too few items'),
  maxItems: (given: number) => unless(isList, (list) => list.length <= given, 'has too many items'),
  uniqueItems: () =>
    unless(isList, (list) => new Set(list.map((each) => JSON.stringify(each))).size === list.length, 'repeats an item'),
  minProperties: (given: number) =>
    unless(isObject, (object) => Object.keys(object).length >= given, 'has too few fields'),
  maxProperties: (given: number) =>
    unless(isObject, (object) => Object.keys(object).length <= given, 'has too many fields'),
  required: (given: readonly string[]) => (value, path, faults) => {
    if (!isObject(value)) return
    for (const name of given) if (!Object.hasOwn(value, name)) faults.push(`${path}.${name} is missing`)
  },
  items: (given: Schema, _schema, schemas) => {
    const check = schemas.check(given)
    return (value, path, faults) => {
      if (isList(value)) value.forEach((inner, i) => void check(inner, `${path}[${i}]`, faults))
    }
  },
  propertyNames: (given: Schema, _schema, schemas) => {
    const check = schemas.check(given)
    return (value, path, faults) => {
      if (isObject(value)) for (const name of Object.keys(value)) check(name, `${path}.${name}`, faults)
    }
  },
  properties: (given: Readonly<Record<string, Schema>>, schema, schemas) => properties(given, schema, schemas),
  additionalProperties: (given: Schema | boolean, schema, schemas) => additional(given, schema, schemas),
  exclusiveMaximum: (given: number) => unless(isNumber, (number) => number < given, 'is too large'),
  allOf: (given: readonly Schema[], _schema, schemas) => schemas.check(merged(given, schemas)),
  anyOf: (given: readonly Schema[], _schema, schemas) => anyOf(given, schemas),
  oneOf: (given: readonly Schema[], _schema, schemas) => anyOf(given, schemas),
}
