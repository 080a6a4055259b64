/** Which operations are tools of the MCP server, and what each is called there. */
import type { Operation } from '../api/operation.ts'

/** The operations that are no tools, each with its reason. Every other one is. */
export const notTools: Readonly<Record<string, string>> = {
  'events.stream': 'A stream has no end, and a tool call has to end. `events_list` reads the same log.',
  'api_keys.create': 'The answer holds a secret, which would stay in a transcript.',
  'webhook_endpoints.create': 'The answer holds a signing secret, which would stay in a transcript.',
  'webhook_endpoints.rotate_secret': 'The answer holds a signing secret, which would stay in a transcript.',
}

/** The name of an operation's tool: letters, digits and `_`, as every client takes it. */
export function toolName(operation: string): string {
  return operation.replaceAll('.', '_')
}

/** The operations that are tools, in the catalogue's order. */
export function toolOperations(catalogue: readonly Operation[]): Operation[] {
  return catalogue.filter(({ id }) => !Object.hasOwn(notTools, id))
}
