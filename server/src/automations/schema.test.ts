import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { Compile } from 'typebox/compile'
import { arbitraryGraph } from '../../test/automations/arbitrary-graph.ts'
import { Event } from '../api/stream/shape.ts'
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
} from './expressions/types.ts'
import type { NodeType } from './schema.ts'
import { nodeSchemas } from './schema-nodes.ts'
import { checkShape, noFindings, type Schema } from './shape.ts'

type Json = Record<string, unknown>

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

test('checking a value against a schema finds a fault exactly where the schema is violated', () => {
  const checkers = new Map(Object.entries(nodeSchemas).map(([type, schema]) => [type, Compile(schema)]))
  fc.assert(
    fc.property(
      arbitraryGraph({ outside: true, called: [{ flow: 'flow_1' }, { flow: 'flow_2', apart: true }] }),
      fc.nat(),
      fc.nat(),
      spoiling,
      (graph, pick, spot, value) => {
        const node = structuredClone(graph.nodes[pick % graph.nodes.length]) as Json
        const places = placesIn(node)
        const [holder, key] = places[spot % places.length] as [Json, string]
        if (key !== 'type') holder[key] = value
        const found = noFindings()
        checkShape(nodeSchemas[node.type as NodeType] as Schema, node, 'node', found)
        // The content of JSON, such as a body, is checked more strictly than the schema does.
        const places_of_json: Record<string, string> = {
          'http.request': 'node.config.body',
          'flow.call': 'node.config.inputs.word',
        }
        const inBody = (param: string) => param.startsWith(places_of_json[node.type as string] ?? 'nowhere')
        const faults = found.faults.filter(({ param }) => !inBody(param))
        assert.equal(faults.length === 0, checkers.get(node.type as string)?.Check(node))
      },
    ),
    { numRuns: 2000 },
  )
})

/** Every value inside an object or an array, with its container. */
function placesIn(holder: Json): [Json, string][] {
  return Object.entries(holder).flatMap(([key, value]) => {
    const inner = typeof value === 'object' && value !== null ? placesIn(value as Json) : []
    return [[holder, key] as [Json, string], ...inner]
  })
}
