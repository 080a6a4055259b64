/**
 * The MCP server, the same over stdio and HTTP: tools, resources and instructions over an `Api`. It keeps no state between
 * calls. A failed call is a result with `isError`; an unknown tool is an error of the protocol.
 */
import { type CallToolResult, ProtocolError, ResourceNotFoundError, Server } from '@modelcontextprotocol/server'
import { Refusal } from '../api/declare/errors.ts'
import type { Operation } from '../api/declare/operation.ts'
import { notTools, toolName } from '../derive/tools.ts'
import { nearest } from '../lib/nearest.ts'
import { programVersion } from '../lib/program-version.ts'
import { type Api, Unreachable } from './api.ts'
import { readDocument, resources, resourceTemplates } from './documents.ts'
import { draftFlow, flowDraftOperations, flowDraftTool } from './flow-draft.ts'
import { instructions } from './instructions.ts'
import { mcp_limits } from './limits.ts'
import { type OpenFile, uploadOf, withPath } from './local-files.ts'
import { type Tool, tools } from './tool.ts'
import { type Arguments, toolRequest } from './tool-request.ts'
import { refusedResult, toolResult, unreachableResult } from './tool-result.ts'

const invalid_params = -32602
const internal_error = -32603

export interface McpOptions {
  /** Whether `tools/list` shows a tool. */
  readonly lists?: ((tool: string) => boolean) | undefined
  /** Where the client runs on this machine: opens a file whose path a tool is given. */
  readonly openFile?: OpenFile
}

export function createMcpServer(api: Api, { lists = () => true, openFile }: McpOptions = {}): Server {
  const server = new Server(
    { name: 'atrium', title: 'Atrium', version: programVersion() },
    { capabilities: { tools: {}, resources: {} }, instructions },
  )
  server.setRequestHandler('tools/list', async () => {
    const admits = await api.admits().catch((error: unknown) => {
      throw error instanceof Unreachable ? new ProtocolError(internal_error, error.message) : error
    })
    const shown = [...tools].filter(([name, { operation }]) => lists(name) && admits(operation))
    const describe = ({ operation, description }: Tool) =>
      operation.uploads && openFile !== undefined ? withPath(description) : description
    const mayDraft = lists(flowDraftTool.name) && flowDraftOperations.every(admits)
    return { tools: [...shown.map(([, tool]) => describe(tool)), ...(mayDraft ? [flowDraftTool] : [])] }
  })
  server.setRequestHandler('tools/call', async ({ params }) => {
    const client = server.getClientVersion()
    const agent = client === undefined ? null : `${client.name}/${client.version}`
    const calling = { api, openFile, agent }
    const given = params.arguments ?? {}
    if (params.name !== flowDraftTool.name) return await callTool(calling, toolOf(params.name).operation, given)
    return await refusals(() => draftFlow(given, (operation, arguments_) => send(calling, operation, arguments_)))
  })
  server.setRequestHandler('resources/list', () => ({ resources: [...resources] }))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [...resourceTemplates] }))
  server.setRequestHandler('resources/read', async ({ params }) => {
    const document = await readDocument(params.uri)
    if (document === null) throw new ResourceNotFoundError(params.uri)
    return document
  })
  return server
}

function toolOf(name: string): Tool {
  const tool = tools.get(name)
  if (tool !== undefined) return tool
  const reason = Object.entries(notTools).find(([id]) => toolName(id) === name)?.[1]
  const near = nearest(name, [...tools.keys(), flowDraftTool.name])
  const advice = reason ?? (near === null ? '' : `Did you mean ${near}?`)
  throw new ProtocolError(invalid_params, `There is no tool ${JSON.stringify(name.slice(0, 80))}. ${advice}`.trim())
}

interface Calling {
  readonly api: Api
  readonly openFile: OpenFile | undefined
  readonly agent: string | null
}

async function callTool(calling: Calling, operation: Operation, called: Arguments): Promise<CallToolResult> {
  const { openFile } = calling
  return await refusals(async () => {
    const upload = openFile === undefined ? null : await uploadOf(operation, called, openFile)
    return await send(calling, operation, upload?.given ?? called, upload?.content)
  })
}

/** The result of arguments that were refused before a request was sent. */
async function refusals(job: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await job()
  } catch (error) {
    if (error instanceof Refusal) return refusedResult(error)
    throw error
  }
}

async function send(
  { api, agent }: Calling,
  operation: Operation,
  given: Arguments,
  content?: Blob,
): Promise<CallToolResult> {
  const request = toolRequest(operation, given, content)
  try {
    return toolResult(request, given, await api.send(request, agent))
  } catch (error) {
    if (error instanceof Unreachable) return unreachableResult(request, error.message)
    throw error
  }
}

/** The `User-Agent` of a tool call in the request log: this server and the MCP client. */
export function agentName(client: string | null): string {
  const name = (client ?? '').replaceAll(/[^\x20-\x7e]/g, '?').slice(0, mcp_limits.mcp_client_chars_max)
  return name === '' ? `atrium-mcp/${programVersion()}` : `atrium-mcp/${programVersion()} (${name})`
}
