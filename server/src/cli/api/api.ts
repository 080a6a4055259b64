/** `atrium api`: any operation of the catalogue, called over HTTP. What it can do is derived from the declarations. */
import type { Operation } from '../../api/declare/operation.ts'
import { limits } from '../../api/limits.ts'
import { quoted } from '../../lib/quoted.ts'
import { type ConnectionFlags, connect, type PatienceFlags } from '../client/connection.ts'
import { exit, failureOf } from '../client/exit-codes.ts'
import type { Client } from '../client/http.ts'
import type { Reply } from '../client/reply.ts'
import { isTerminal } from '../client/write-out.ts'
import { Failure, type Outcome, UsageError } from '../command.ts'
import { follow } from '../events/follow.ts'
import { wholeNumber } from '../options.ts'
import { answerFields, type Output } from './flags.ts'
import { apiHelp, operationHelp } from './help.ts'
import { type Printing, printList, printObject } from './output.ts'
import { pagesOf } from './pages.ts'
import { type ApiRequest, requestOf, sendingOf } from './request.ts'
import { didYouMean } from './suggest.ts'
import { readWords, type Words } from './words.ts'

/** Runs the words after `atrium api`. Prints the result itself; throws a failure. */
export async function runApi(given: readonly string[]): Promise<Outcome | null> {
  const words = readWords(given)
  const { operation, client: flags } = words
  if (operation === null) {
    if (Object.keys(flags).some((name) => name !== 'help' && name !== 'json')) {
      throw new UsageError("No operation is named. 'atrium api' lists the operations.")
    }
    const { catalogue } = await import('../../catalogue.ts')
    return { json: { operations: catalogue.map(({ id, summary }) => ({ id, summary })) }, text: apiHelp() }
  }
  if (flags.help === true) return { json: { help: operationHelp(operation) }, text: operationHelp(operation) }
  const printing = printingOf(operation, words)
  const request = await requestOf(operation, words)
  const client = connect(flags as ConnectionFlags & PatienceFlags)
  if (operation.streams) await stream(client, request, words)
  else if (operation.kind === 'list') await list(client, operation, request, words, printing)
  else await single(client, operation, request, words, printing)
  return null
}

function printingOf(operation: Operation, { client }: Words): Printing {
  if (client.json === true && client.output !== undefined) {
    throw new UsageError('Give --json or --output, not both.', 'output')
  }
  const terminal = isTerminal()
  const output =
    client.json === true ? 'json' : ((client.output as Output | undefined) ?? (terminal ? 'table' : 'json'))
  const fields = (client.fields as string | undefined)?.split(',').map((name) => name.trim())
  const known = answerFields(operation)
  const wrong = fields?.find((name) => !known.includes(name))
  if (wrong !== undefined && known.length > 0) {
    const advice = didYouMean(wrong, known) || ` Its fields are ${known.join(', ')}.`
    throw new UsageError(`The answer of ${operation.id} has no field ${quoted(wrong)}.${advice}`, 'fields')
  }
  return { output, pretty: terminal && client.json !== true, fields }
}

async function single(
  client: Client,
  operation: Operation,
  request: ApiRequest,
  words: Words,
  printing: Printing,
): Promise<void> {
  if (words.client.all === true || words.client.limit !== undefined) {
    throw new UsageError(`${operation.id} is not a list: it takes neither --all nor --limit.`, 'limit')
  }
  const reply = await sendWrite(client, request)
  show(reply, words)
  if (reply.status !== 200) throw failureOf(reply)
  if (words.client.dryRun === true && reply.headers.get('preference-applied') !== 'dry-run') {
    throw new Failure('This server does not support dry runs: the change WAS MADE.', exit.unavailable)
  }
  await printObject(objectOf(reply), words.client.dryRun === true ? { ...printing, fields: undefined } : printing)
}

/** A write whose outcome stays unknown names its key, so that the same request can be repeated. */
async function sendWrite(client: Client, request: ApiRequest): Promise<Reply> {
  try {
    return await client.send(sendingOf(request))
  } catch (error) {
    if (!(error instanceof Failure) || request.idempotencyKey === null) throw error
    const again = ` The change may have been made. Repeat the command with --idempotency-key ${request.idempotencyKey} to make it once.`
    throw new Failure(error.message + again, error.exit, { ...error.fields, idempotency_key: request.idempotencyKey })
  }
}

function objectOf(reply: Reply): Record<string, unknown> {
  if (typeof reply.body !== 'object' || reply.body === null) throw failureOf(reply)
  return reply.body as Record<string, unknown>
}

async function list(
  client: Client,
  operation: Operation,
  request: ApiRequest,
  words: Words,
  printing: Printing,
): Promise<void> {
  const count = countOf(words)
  const fields = operation.fields ? printing.fields?.join(',') : undefined
  const pages = pagesOf(client, operation, request, { count, fields, seen: (reply) => show(reply, words) })
  await printList(pages, operation, printing)
}

/** How many objects; `null`: one page of the server's size. */
function countOf({ client }: Words): number | null {
  if (client.all === true && client.limit !== undefined) {
    throw new UsageError('Give --all or --limit, not both.', 'limit')
  }
  if (client.all === true) return Number.POSITIVE_INFINITY
  if (client.limit === undefined) return null
  try {
    return wholeNumber(client.limit as string, 1, limits.safe_integer_max)
  } catch (error) {
    throw new UsageError(`--limit ${(error as Error).message}, not ${quoted(String(client.limit))}.`, 'limit')
  }
}

async function stream(client: Client, request: ApiRequest, words: Words): Promise<void> {
  const types = request.query.filter(([name]) => name === 'types').map(([, text]) => text)
  const { output, json } = words.client
  if (output !== undefined && output !== 'jsonl' && output !== 'json' && output !== 'table') {
    throw new UsageError(`A stream cannot be printed as ${output}. Use table or jsonl.`, 'output')
  }
  const people = output === 'table' || (output === undefined && json !== true && isTerminal())
  await follow(client, { types, since: null, count: countOf(words), people })
}

/** Prints the status and headers of an answer. */
function show(reply: Reply, { client }: Words): void {
  if (client.include !== true) return
  const lines = [...reply.headers].map(([name, value]) => `${name}: ${value}\n`)
  process.stderr.write(`HTTP ${reply.status}\n${lines.join('')}\n`)
}
