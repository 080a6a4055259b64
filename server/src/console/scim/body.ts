/** Bodies of SCIM requests: JSON objects within the bound of their size. */
import type { Request } from '../../api/declare/request.ts'
import { ScimError } from './errors.ts'

export type Plain = Readonly<Record<string, unknown>>

export function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export async function readObject(request: Request): Promise<Plain> {
  const type = String(request.headers['content-type'] ?? '')
  if (!/^application\/(?:scim\+)?json\b/i.test(type))
    throw new ScimError(415, 'The Content-Type must be application/scim+json or application/json.')
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(await request.body()).toString('utf8'))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new ScimError(400, 'The body is not valid JSON.', 'invalidSyntax')
  }
  if (isPlain(value)) return value
  throw new ScimError(400, 'The body must be a JSON object.', 'invalidSyntax')
}
