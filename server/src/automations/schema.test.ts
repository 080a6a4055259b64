import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import fc from 'fast-check'
import { Compile } from 'typebox/compile'
import { arbitraryGraph } from '../../test/automations/arbitrary-graph.ts'
import { Event } from '../api/event-shape.ts'
import { Comment } from '../resources/comments/comment.ts'
import { Dependency } from '../resources/dependencies/dependency.ts'
import { Task } from '../resources/tasks/task.ts'
import { TimeEntry } from '../resources/time_entries/time_entry.ts'
import {
  comment_type,
  dependency_type,
  event_type,
  type ObjectType,
  task_type,
  time_entry_type,
} from './expression-types.ts'
import { GraphSchema, type NodeType } from './schema.ts'
import { nodeSchemas } from './schema-nodes.ts'
import { look, noFindings, type Schema } from './shape.ts'

type Json = Record<string, unknown>

/**
 * A schema in one way of writing it: references put in, alternatives flat, annotations and what follows from the rest
 * left out.
 */
function plain(schema: unknown, definitions: Json): unknown {
  if (Array.isArray(schema)) return schema.map((one) => plain(one, definitions))
  if (typeof schema !== 'object' || schema === null) return schema
  const from = schema as Json
  if (typeof from.$ref === 'string') return plain(definitions[from.$ref.replace('#/$defs/', '')], definitions)
  const alternatives = (from.oneOf ?? from.anyOf ?? typesOf(from)) as unknown[] | undefined
  if (alternatives?.length === 1) return plain(alternatives[0], definitions)
  if (alternatives !== undefined) {
    return { anyOf: alternatives.flatMap((one) => flat(plain(one, definitions))).toSorted(byText) }
  }
  const kept: Json = {}
  for (const [key, value] of Object.entries(from)) {
    if (['computes', 'refers', 'discriminator', '$schema', '$id', '$defs'].includes(key)) continue
    if (key === 'type' && (from.const !== undefined || from.enum !== undefined)) continue
    if (key === 'required' && (value as unknown[]).length === 0) continue
    if (key === 'required' || key === 'enum') kept[key] = (value as string[]).toSorted()
    else if (key === 'properties') kept[key] = each(value as Json, definitions)
    else if (key !== 'propertyNames' && key !== 'patternProperties' && key !== 'additionalProperties') {
      kept[key] = plain(value, definitions)
    }
  }
  return { ...kept, ...otherFields(from, definitions) }
}

function typesOf(from: Json): Json[] | undefined {
  return Array.isArray(from.type) ? from.type.map((type) => ({ ...from, type })) : undefined
}

function flat(schema: unknown): unknown[] {
  return ((schema as Json).anyOf as unknown[] | undefined) ?? [schema]
}

function each(fields: Json, definitions: Json): Json {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, plain(field, definitions)]))
}

/** Fields of any name, or of names of a form. */
function otherFields(from: Json, definitions: Json): Json {
  const [form, field] = Object.entries((from.patternProperties as Json | undefined) ?? {})[0] ?? []
  if (form !== undefined) return { others: plain(field, definitions), ...(form === '^.*$' ? {} : { form }) }
  const { additionalProperties: more, propertyNames } = from
  if (typeof more !== 'object') return more === undefined ? {} : { additionalProperties: more }
  const names = propertyNames as { pattern: string } | undefined
  return { others: plain(more, definitions), ...(names === undefined ? {} : { form: names.pattern }) }
}

function byText(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1
}

test('the graph is described as it was agreed, where that stands beside the repository', () => {
  const file = join(import.meta.dirname, '../../../../shared/spec/automation-graph.schema.json')
  if (!existsSync(file)) return
  const agreed = JSON.parse(readFileSync(file, 'utf8')) as Json
  assert.deepEqual(plain(GraphSchema, {}), plain(agreed, agreed.$defs as Json))
})

test('expressions know the fields of the objects that the API shows', () => {
  const fields = (type: ObjectType) => Object.keys(type).toSorted()
  const shown = (schema: { properties: object }) => Object.keys(schema.properties).toSorted()
  assert.deepEqual(fields(task_type), shown(Task))
  assert.deepEqual(fields(event_type), shown(Event))
  assert.deepEqual(fields(comment_type), shown(Comment))
  assert.deepEqual(fields(dependency_type), shown(Dependency))
  assert.deepEqual(fields(time_entry_type), shown(TimeEntry))
})

const spoiling = fc.constantFrom(
  null,
  0,
  -1,
  1.5,
  1e9,
  '',
  'X',
  '$subject',
  'a'.repeat(3000),
  [],
  {},
  [1],
  { $expr: 'now' },
  { $template: '' },
  { $expr: 5 },
  true,
)

test('the walk over a shape finds a fault exactly where the schema is not met', () => {
  const checkers = new Map(Object.entries(nodeSchemas).map(([type, schema]) => [type, Compile(schema)]))
  fc.assert(
    fc.property(arbitraryGraph({ outside: true }), fc.nat(), fc.nat(), spoiling, (graph, pick, spot, value) => {
      const node = structuredClone(graph.nodes[pick % graph.nodes.length]) as unknown as Json
      const places = placesIn(node)
      const [holder, key] = places[spot % places.length] as [Json, string]
      if (key !== 'type') holder[key] = value
      const found = noFindings()
      look(nodeSchemas[node.type as NodeType] as Schema, node, 'node', found)
      // What stands inside of a JSON body is looked at closer than the schema does.
      const inBody = (param: string) => node.type === 'http.request' && param.startsWith('node.config.body')
      const faults = found.faults.filter(({ param }) => !inBody(param))
      assert.equal(faults.length === 0, checkers.get(node.type as string)?.Check(node))
    }),
    { numRuns: 2000 },
  )
})

/** Everything that stands in an object or an array, with what holds it. */
function placesIn(holder: Json): [Json, string][] {
  return Object.entries(holder).flatMap(([key, value]) => {
    const inner = typeof value === 'object' && value !== null ? placesIn(value as Json) : []
    return [[holder, key] as [Json, string], ...inner]
  })
}
