/** The tools of the MCP server, derived once from the catalogue: one per operation. */
import type { Tool as ToolDescription } from '@modelcontextprotocol/server'
import type { Operation } from '../api/declare/operation.ts'
import { catalogue } from '../catalogue.ts'
import { toolName, toolOperations } from '../derive/tools.ts'
import { short_filter_grammar } from '../resources/tasks/shared/filter.ts'
import { inputSchema } from './input-schema.ts'
import promises from './promises.json' with { type: 'json' }

/** They end something that no other call opens again. */
const irrevocable: ReadonlySet<string> = new Set(['automation_runs.cancel', 'automation_approvals.decide'])

export interface Tool {
  readonly operation: Operation
  /** As `tools/list` shows it. */
  readonly description: ToolDescription
}

/** By name, in the catalogue's order. */
export const tools: ReadonlyMap<string, Tool> = new Map(
  toolOperations(catalogue).map((operation) => [toolName(operation.id), toTool(operation)]),
)

function toTool(operation: Operation): Tool {
  const { id, summary, scope, credits } = operation
  return {
    operation,
    description: {
      name: toolName(id),
      title: summary,
      description: describeOperation(operation),
      // A JSON schema of type object; the type of the package is narrower than JSON schema.
      inputSchema: inputSchema(operation) as unknown as ToolDescription['inputSchema'],
      annotations: {
        title: summary,
        readOnlyHint: operation.kind !== 'write',
        destructiveHint: isDestructive(operation),
        idempotentHint: operation.method !== 'POST',
        openWorldHint: reachesOut(operation),
      },
      _meta: { 'atrium/operation': id, 'atrium/credits': credits, 'atrium/scope': scope },
    },
  }
}

function describeOperation(operation: Operation): string {
  const { id, summary, description, scope, credits } = operation
  const grammar = Object.hasOwn(inputSchema(operation).properties, 'filter') ? short_filter_grammar : ''
  const promise = (promises as Readonly<Record<string, string>>)[id] ?? `${summary}.`
  const needs = scope === null ? 'Needs no scope' : `Needs the scope ${scope}`
  return [promise, description, grammar, `${needs}; costs ${credits} credit${credits === 1 ? '' : 's'}.`]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** Whether a call loses something that no other call restores: a deleted object, values before a PATCH, a running run. */
function isDestructive({ id, method }: Operation): boolean {
  return method === 'DELETE' || method === 'PATCH' || irrevocable.has(id)
}

/** Whether a call makes the server contact other hosts: webhook targets, or hosts that an automation's steps call. */
function reachesOut({ id, kind, errorClass }: Operation): boolean {
  const outward = ['events.resend', 'events.replay', 'automation_flows.activate', 'automation_flows.renew_authority']
  return errorClass === 'webhook_write' || (kind === 'write' && outward.includes(id))
}
