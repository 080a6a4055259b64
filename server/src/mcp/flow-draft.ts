/**
 * The tool that drafts an automation: it stores a graph as a draft, which the server checks as a whole, and previews it on a
 * task. It never activates a flow, and its result does not have the token that an activation takes.
 */
import { createHash, randomUUID } from 'node:crypto'
import type { CallToolResult, Tool as ToolDescription } from '@modelcontextprotocol/server'
import { refuse } from '../api/declare/errors.ts'
import type { Operation } from '../api/declare/operation.ts'
import { flowDraft } from '../derive/tools.ts'
import { createAutomationFlow } from '../resources/automation_flows/create.ts'
import { previewAutomationFlow } from '../resources/automation_flows/preview.ts'
import { updateAutomationFlow } from '../resources/automation_flows/update.ts'
import { key_argument } from './input-schema.ts'
import type { Arguments } from './tool-request.ts'

const properties: Readonly<Record<string, { readonly type: 'string' | 'object'; readonly description: string }>> = {
  workspace: { type: 'string', description: 'Workspace of the flow.' },
  name: { type: 'string', description: 'Name of the flow.' },
  graph: {
    type: 'object',
    description:
      'Graph of the flow. Read atrium://automations/schema for its form, atrium://automations/examples for examples.',
  },
  project: { type: 'string', description: 'With a project, only its events start the flow.' },
  flow: {
    type: 'string',
    description: 'Id of a flow that is not active, to change it in place of making another one.',
  },
  task: { type: 'string', description: 'Task that the preview runs against. Omit it for a draft without a preview.' },
  [key_argument]: {
    type: 'string',
    description: 'Identifies this draft. A repeated call with the same key and arguments stores nothing again.',
  },
}

const price = `costs ${createAutomationFlow.credits} credits, with a preview ${previewAutomationFlow.credits} more`

/** As `tools/list` shows it. */
export const flowDraftTool: ToolDescription = {
  name: flowDraft.name,
  title: flowDraft.summary,
  description: `${flowDraft.description}\n\nNeeds the scope ${createAutomationFlow.scope}; ${price}.`,
  inputSchema: { type: 'object', properties, required: ['workspace', 'name', 'graph'], additionalProperties: false },
  annotations: {
    title: flowDraft.summary,
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: false,
  },
}

/** The operations that it calls. */
export const flowDraftOperations: readonly Operation[] = [
  createAutomationFlow,
  updateAutomationFlow,
  previewAutomationFlow,
]

/** Calls an operation. Throws a Refusal for arguments that cannot be sent. */
type Call = (operation: Operation, given: Arguments) => Promise<CallToolResult>

export async function draftFlow(called: Arguments, call: Call): Promise<CallToolResult> {
  const unknown = Object.keys(called).find((name) => !Object.hasOwn(properties, name))
  if (unknown !== undefined) throw wrong(unknown, `There is no argument ${JSON.stringify(unknown.slice(0, 80))}.`)
  const { workspace, flow = null, task = null, [key_argument]: given, ...content } = called
  const key = given ?? randomUUID()
  const stored =
    flow === null
      ? await call(createAutomationFlow, { workspace, ...content, [key_argument]: key })
      : await call(updateAutomationFlow, { id: flow, ...content, [key_argument]: key })
  if (stored.isError || task === null) return stored
  const draft = answerOf(stored)
  const previewed = await call(previewAutomationFlow, { id: draft.id, workspace, task, [key_argument]: laterKey(key) })
  if (previewed.isError) return previewFailed(previewed, String(draft.id))
  const { preview_token: _token, expires_at: _end, ...preview } = answerOf(previewed)
  return { content: [{ type: 'text', text: JSON.stringify({ ...draft, preview }) }], _meta: stored._meta ?? {} }
}

/** The key of the second change of a call, so that a repeated call repeats both. */
function laterKey(key: unknown): string {
  return createHash('sha256').update(`preview ${key}`).digest('hex')
}

function answerOf({ content: [first] }: CallToolResult): Readonly<Record<string, unknown>> {
  return JSON.parse(first?.type === 'text' ? first.text : '') as Readonly<Record<string, unknown>>
}

function previewFailed(failed: CallToolResult, flow: string): CallToolResult {
  const text = `The draft is stored as ${flow}. Call ${flowDraft.name} with flow "${flow}" to go on with it.`
  return { ...failed, content: [...failed.content, { type: 'text', text }] }
}

function wrong(param: string, message: string): Error {
  return refuse('invalid_request_body', { param, message })
}
