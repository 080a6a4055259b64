/** What a provider can find out without a token (RFC 7643 §5 to §7): what is supported, and the attributes of a user. */
import { console_limits } from '../limits.ts'
import { list_schema } from './list.ts'
import { user_schema } from './user.ts'

const config_schema = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'
const type_schema = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType'
const schema_schema = 'urn:ietf:params:scim:schemas:core:2.0:Schema'

export function providerConfig(publicUrl: string): object {
  return {
    schemas: [config_schema],
    documentationUri: `${publicUrl}/docs/console.html#provisioning`,
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: console_limits.scim_page_max },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: false },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'A token that an owner makes in Settings → Organization.',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${publicUrl}/scim/v2/ServiceProviderConfig` },
  }
}

export function resourceTypes(publicUrl: string): readonly { readonly id: string }[] {
  return [
    {
      ...{ schemas: [type_schema], id: 'User', name: 'User', endpoint: '/Users', schema: user_schema },
      description: 'A person of the organization.',
      schemaExtensions: [],
      meta: { resourceType: 'ResourceType', location: `${publicUrl}/scim/v2/ResourceTypes/User` },
    } as { readonly id: string },
  ]
}

interface AttributeOptions {
  readonly type?: 'string' | 'boolean' | 'complex'
  readonly required?: true
  readonly readOnly?: true
  readonly unique?: true
  readonly many?: true
  readonly parts?: readonly object[]
}

function attribute(name: string, description: string, options: AttributeOptions = {}): object {
  const { type = 'string', required = false, readOnly, unique, many = false, parts } = options
  return {
    ...{ name, type, multiValued: many, description, required, caseExact: false },
    mutability: readOnly ? 'readOnly' : 'readWrite',
    ...{ returned: 'default', uniqueness: unique ? 'server' : 'none' },
    ...(parts === undefined ? {} : { subAttributes: parts }),
  }
}

export function schemas(publicUrl: string): readonly { readonly id: string }[] {
  return [
    {
      ...{ schemas: [schema_schema], id: user_schema, name: 'User', description: 'A person of the organization.' },
      attributes: [
        attribute('userName', 'The e-mail address of the person.', { required: true, unique: true }),
        attribute('name', 'The name of the person.', {
          type: 'complex',
          parts: [
            attribute('givenName', 'The first name.'),
            attribute('familyName', 'The last name.'),
            attribute('formatted', 'Both names.', { readOnly: true }),
          ],
        }),
        attribute('displayName', 'Both names, or the address.', { readOnly: true }),
        attribute('active', 'Whether the person may sign in.', { type: 'boolean' }),
        attribute('emails', 'The address of the person.', {
          ...{ type: 'complex', many: true, readOnly: true },
          parts: [
            attribute('value', 'The address.', { readOnly: true }),
            attribute('type', 'Always work.', { readOnly: true }),
            attribute('primary', 'Always true.', { type: 'boolean', readOnly: true }),
          ],
        }),
      ],
      meta: { resourceType: 'Schema', location: `${publicUrl}/scim/v2/Schemas/${user_schema}` },
    } as { readonly id: string },
  ]
}

/** A list of all, as `/Schemas` and `/ResourceTypes` answer. */
export function listOfAll(resources: readonly object[]): object {
  const { length } = resources
  return { schemas: [list_schema], totalResults: length, startIndex: 1, itemsPerPage: length, Resources: resources }
}
