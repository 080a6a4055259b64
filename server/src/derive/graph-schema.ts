/**
 * `docs/contract/automation-graph.schema.json`: the JSON Schema of automation graphs (contract/16#graph-schema), from the
 * components of the OpenAPI document, so the two cannot differ.
 */
import type { JsonObject } from './openapi/json.ts'

const component = '#/components/schemas/'
const definition = '#/$defs/'
const root = 'AutomationGraph'

export function graphSchema(document: JsonObject): JsonObject {
  const { schemas } = document.components as { schemas: Record<string, JsonObject> }
  const names = new Set<string>()
  const collect = (name: string): void => {
    if (names.has(name)) return
    names.add(name)
    for (const used of referencesIn(schemas[name])) collect(used)
  }
  collect(root)
  names.delete(root)
  const definitions = Object.fromEntries([...names].sort().map((name) => [name, relocate(schemas[name])]))
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Automation graph, versions 1 to 4',
    ...(relocate(schemas[root]) as JsonObject),
    $defs: definitions,
  }
}

function referencesIn(schema: unknown): string[] {
  return [...JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name as string)
}

function relocate(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll(component, definition))
}
