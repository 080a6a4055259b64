/** The `resource` parameter (RFC 8707): the part of the server that alone accepts the tokens. */
import type { Resource } from '../../api/declare/caller.ts'
import { OauthError, shown } from './errors.ts'
import type { Form } from './form.ts'
import { issuerOf } from './metadata.ts'

/** The addresses of both parts. */
function resourcesOf(publicUrl: string): Readonly<Record<Resource, string>> {
  const issuer = issuerOf(publicUrl)
  return { api: issuer, mcp: `${issuer}/mcp` }
}

/** The part that a request names; null if it names none. */
export function readResource(form: Form, publicUrl: string): Resource | null {
  const sent = form.get('resource')
  if (sent === undefined) return null
  const { api, mcp } = resourcesOf(publicUrl)
  if (sent === mcp) return 'mcp'
  // The address of a host ends with a slash or without one (RFC 9110 §4.2.3).
  if (sent === api || sent === `${api}/`) return 'api'
  throw new OauthError('invalid_target', `resource cannot be ${shown(sent)}. Use ${shown(mcp)} or ${shown(api)}.`)
}
