/** Bodies of SCIM requests: JSON objects within the bound of their size. */
import type { Request } from '../../api/declare/request.ts'
import { limits } from '../../api/limits.ts'
import { bodyBounds } from '../../api/request/validate.ts'
import { parseStrictJson } from '../../lib/strict-json.ts'
import { ScimError } from './errors.ts'

export type Plain = Readonly<Record<string, unknown>>

export function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export async function readObject(request: Request): Promise<Plain> {
  const type = String(request.headers['content-type'] ?? '')
  if (!/^application\/(?:scim\+)?json\b/i.test(type))
    throw new ScimError(415, 'The Content-Type must be application/scim+json or application/json.')
  const text = readText(await request.body())
  // As the API reads bodies: a key that occurs twice would mean something else to another reader.
  const parsed = parseStrictJson(text, bodyBounds(limits.json_depth_max))
  if (!parsed.ok) {
    const place = parsed.path === '' ? '' : ` at \`${parsed.path}\``
    throw new ScimError(400, `The body cannot be read: ${parsed.message}${place}.`, 'invalidSyntax')
  }
  const { value } = parsed
  if (isPlain(value)) return value
  throw new ScimError(400, 'The body must be a JSON object.', 'invalidSyntax')
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function readText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new ScimError(400, 'The body is not valid UTF-8.', 'invalidSyntax')
  }
}
