/** Files of the machine on which a client starts the program: over stdio a tool takes their path in place of their content. */
import { basename } from 'node:path'
import type { Tool as ToolDescription } from '@modelcontextprotocol/server'
import { refuse } from '../api/declare/errors.ts'
import type { Operation } from '../api/declare/operation.ts'
import { base64_argument, text_argument } from './input-schema.ts'
import type { Arguments } from './tool-request.ts'

const path_argument = 'path'

/** Opens a file, which is read while it is sent. Rejects with an error that says why it cannot be read. */
export type OpenFile = (path: string) => Promise<Blob>

export interface Upload {
  /** Without the path; with the file's name unless another is given. */
  readonly given: Arguments
  readonly content: Blob
}

/** The description of a tool that uploads, with the path as a third way to give the content. */
export function withPath(description: ToolDescription): ToolDescription {
  const { properties, required, ...schema } = description.inputSchema
  const path = {
    type: 'string',
    description: `Path of a file on this machine, of any size the server takes, in place of ${text_argument} and ${base64_argument}.`,
  }
  return {
    ...description,
    inputSchema: {
      ...schema,
      properties: { [path_argument]: path, ...properties },
      required: (required ?? []).filter((name) => name !== 'name'),
    },
  }
}

/** The file that the arguments name; null if they name none. */
export async function uploadOf(operation: Operation, given: Arguments, open: OpenFile): Promise<Upload | null> {
  const { [path_argument]: path = null, ...others } = given
  if (!operation.uploads || path === null) return null
  if (typeof path !== 'string' || path === '') throw wrong('path must be the path of a file.')
  const also = [text_argument, base64_argument].find((name) => (given[name] ?? null) !== null)
  if (also !== undefined) throw wrong(`Send the content either by ${path_argument} or as ${also}.`)
  const content = await open(path).catch((error: Error) => {
    throw wrong(error.message)
  })
  return { given: { name: basename(path), ...others }, content }
}

function wrong(message: string): Error {
  return refuse('invalid_request_body', { param: path_argument, message })
}
