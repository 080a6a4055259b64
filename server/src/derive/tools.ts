/** The operations that are tools of the MCP server, and their tool names. */
import type { Operation } from '../api/declare/operation.ts'

/** The operations that are not tools, each with its reason. */
export const notTools: Readonly<Record<string, string>> = {
  'events.stream': 'A stream has no end, but a tool call must end. `events_list` reads the same log.',
  'api_keys.create': 'The answer contains a secret, which would remain in the transcript.',
  'api_keys.roll': 'The answer contains a secret, which would remain in the transcript.',
  'automation_flows.hook': 'The answer contains a secret, which would remain in the transcript.',
  'automation_flows.replace_hook': 'The answer contains a secret, which would remain in the transcript.',
  'automation_flows.form': 'The answer contains a secret, which would remain in the transcript.',
  'automation_flows.replace_form': 'The answer contains a secret, which would remain in the transcript.',
  'automation_flows.mailbox': 'The answer contains a secret, which would remain in the transcript.',
  'automation_flows.replace_mailbox': 'The answer contains a secret, which would remain in the transcript.',
  'board_links.create': 'The answer contains a secret, which would remain in the transcript.',
  'webhook_endpoints.create': 'The answer contains a signing secret, which would remain in the transcript.',
  'webhook_endpoints.rotate_secret': 'The answer contains a signing secret, which would remain in the transcript.',
}

/** The name of an operation's tool: letters, digits and `_`, which every client accepts. */
export function toolName(operation: string): string {
  return operation.replaceAll('.', '_')
}

/** The operations that are tools, in catalogue order. */
export function toolOperations(catalogue: readonly Operation[]): Operation[] {
  return catalogue.filter(({ id }) => !Object.hasOwn(notTools, id))
}

/** The tool that is not one operation: it drafts an automation, and calls the operations that store and preview one. */
export const flowDraft = {
  name: 'automation_flows_draft',
  summary: 'Draft and preview an automation',
  description:
    'Stores a graph as a draft, or reports all its faults at once, and shows step by step what a run on a task would do. ' +
    'A draft starts no runs. A person activates it in the console, or the user asks you for automation_flows_activate.',
} as const
