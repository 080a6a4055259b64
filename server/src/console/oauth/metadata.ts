/** What clients read first: the metadata of the authorization server (RFC 8414) and of its resources (RFC 9728). */
import type { Resource } from '../../api/declare/caller.ts'
import { type Scope, scopes } from '../../api/declare/scopes.ts'

/** The issuer: the public address without a slash at its end. */
export function issuerOf(publicUrl: string): string {
  return new URL(publicUrl).origin
}

export function serverMetadata(publicUrl: string) {
  const issuer = issuerOf(publicUrl)
  const methods = ['none', 'client_secret_basic', 'client_secret_post']
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    registration_endpoint: `${issuer}/oauth/register`,
    scopes_supported: scopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: methods,
    authorization_response_iss_parameter_supported: true,
    ui_locales_supported: ['en', 'de'],
    service_documentation: `${issuer}/docs/guides/sign-in-of-applications`,
  }
}

/** The scopes that a program gets which registered itself: all but the management of keys. */
export const self_registered_scopes: readonly Scope[] = scopes.filter((scope) => scope !== 'api:manage')

export function resourceMetadata(publicUrl: string, resource: Resource) {
  const issuer = issuerOf(publicUrl)
  return {
    resource: resource === 'mcp' ? `${issuer}/mcp` : issuer,
    authorization_servers: [issuer],
    scopes_supported: resource === 'mcp' ? self_registered_scopes : scopes,
    bearer_methods_supported: ['header'],
    resource_name: resource === 'mcp' ? 'Atrium, tools for agents' : 'Atrium',
  }
}
