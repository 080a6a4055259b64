/**
 * Whether a value is as a JSON Schema of the document says: the keywords that the document uses, and the rule that an object
 * has no field which its schema does not name. Made once for each schema, as functions.
 */

export interface Schema {
  readonly [keyword: string]: unknown
}

/** Adds what is wrong to `faults`, each with its path. */
export type Check = (value: unknown, path: string, faults: string[]) => void

/** Keywords that say nothing of validity. */
const silent = new Set([
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

  /** `root`: the document that references begin at. */
  constructor(root: Schema) {
    this.root = root
  }

  /** What a reference stands for. */
  resolve(value: Schema): Schema {
    let found = value
    while (typeof found.$ref === 'string') {
      let inner: unknown = this.root
      for (const name of found.$ref.slice(2).split('/')) inner = (inner as Schema)[name]
      found = inner as Schema
    }
    return found
  }

  check(sent: Schema): Check {
    const schema = this.resolve(sent)
    const known = this.made.get(schema)
    if (known !== undefined) return known
    // A schema may hold itself: what is asked for meanwhile looks the rest up later.
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
    if (silent.has(keyword) || keyword.startsWith('x-')) return []
    const said = schema[keyword]
    const make = keywords[keyword]
    if (make === undefined) throw new Error(`the document says ${keyword}, which is not known here`)
    return [make(said as never, schema, this)]
  }
}

type Make = (said: never, schema: Schema, schemas: Schemas) => Check

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A check that holds for values of a kind and says one sentence. */
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

function anyOf(said: readonly Schema[], schemas: Schemas): Check {
  const ways = said.map((each) => schemas.check(each))
  return (value, path, faults) => {
    let least: string[] | null = null
    for (const way of ways) {
      const found: string[] = []
      way(value, path, found)
      if (found.length === 0) return
      if (least === null || found.length < least.length) least = found
    }
    faults.push(...(least ?? []))
  }
}

/** Several schemas of one object as one, so that each knows the fields of the others. */
function merged(said: readonly Schema[], schemas: Schemas): Schema {
  const parts = said.map((each) => schemas.resolve(each))
  return {
    type: 'object',
    required: parts.flatMap(({ required }) => (required as string[] | undefined) ?? []),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
  }
}

function properties(said: Readonly<Record<string, Schema>>, schema: Schema, schemas: Schemas): Check {
  const known = new Map(Object.entries(said).map(([name, each]) => [name, schemas.check(each)]))
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

function additional(said: Schema | boolean, schema: Schema, schemas: Schemas): Check {
  if (said === true) return () => {}
  const check = said === false ? null : schemas.check(said)
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

const keywords: Readonly<Record<string, Make>> = {
  type: (said: string | readonly string[]) => {
    const allowed = [said].flat().map((name) => kinds[name] as (value: unknown) => boolean)
    return (value, path, faults) => {
      if (!allowed.some((is) => is(value))) faults.push(`${path} is not of type ${said}`)
    }
  },
  const: (said: unknown) => (value, path, faults) => {
    if (value !== said) faults.push(`${path} is not ${JSON.stringify(said)}`)
  },
  enum: (said: readonly unknown[]) => (value, path, faults) => {
    if (!said.includes(value)) faults.push(`${path} is none of ${JSON.stringify(said)}`)
  },
  minLength: (said: number) => unless(isText, (text) => text.length >= said, 'is too short'),
  maxLength: (said: number) => unless(isText, (text) => text.length <= said || [...text].length <= said, 'is too long'),
  pattern: (said: string) => {
    const pattern = new RegExp(said, 'u')
    return unless(isText, (text) => pattern.test(text), `is not of the form ${said}`)
  },
  format: (said: string) => unless(isText, (text) => formats[said]?.test(text) ?? true, `is no ${said}`),
  minimum: (said: number) => unless(isNumber, (number) => number >= said, 'is too small'),
  maximum: (said: number) => unless(isNumber, (number) => number <= said, 'is too large'),
  minItems: (said: number) => unless(isList, (list) => list.length >= said, 'has too few items'),
  maxItems: (said: number) => unless(isList, (list) => list.length <= said, 'has too many items'),
  uniqueItems: () =>
    unless(isList, (list) => new Set(list.map((each) => JSON.stringify(each))).size === list.length, 'repeats an item'),
  minProperties: (said: number) =>
    unless(isObject, (object) => Object.keys(object).length >= said, 'has too few fields'),
  maxProperties: (said: number) =>
    unless(isObject, (object) => Object.keys(object).length <= said, 'has too many fields'),
  required: (said: readonly string[]) => (value, path, faults) => {
    if (!isObject(value)) return
    for (const name of said) if (!Object.hasOwn(value, name)) faults.push(`${path}.${name} is missing`)
  },
  items: (said: Schema, _schema, schemas) => {
    const check = schemas.check(said)
    return (value, path, faults) => {
      if (isList(value)) value.forEach((inner, i) => void check(inner, `${path}[${i}]`, faults))
    }
  },
  propertyNames: (said: Schema, _schema, schemas) => {
    const check = schemas.check(said)
    return (value, path, faults) => {
      if (isObject(value)) for (const name of Object.keys(value)) check(name, `${path}.${name}`, faults)
    }
  },
  properties: (said: Readonly<Record<string, Schema>>, schema, schemas) => properties(said, schema, schemas),
  additionalProperties: (said: Schema | boolean, schema, schemas) => additional(said, schema, schemas),
  exclusiveMaximum: (said: number) => unless(isNumber, (number) => number < said, 'is too large'),
  allOf: (said: readonly Schema[], _schema, schemas) => schemas.check(merged(said, schemas)),
  anyOf: (said: readonly Schema[], _schema, schemas) => anyOf(said, schemas),
  oneOf: (said: readonly Schema[], _schema, schemas) => anyOf(said, schemas),
}
