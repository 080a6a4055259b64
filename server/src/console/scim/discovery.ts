/** What a provider can find out without a token (RFC 7643 §5 to §7): what is supported, and the attributes of users and groups. */
import { console_limits } from '../limits.ts'
import { group_schema } from './group.ts'
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
    {
      ...{ schemas: [type_schema], id: 'Group', name: 'Group', endpoint: '/Groups', schema: group_schema },
      description: 'A team of the organization.',
      schemaExtensions: [],
      meta: { resourceType: 'ResourceType', location: `${publicUrl}/scim/v2/ResourceTypes/Group` },
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

const user_attributes: readonly object[] = [
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
  attribute('groups', 'The teams of the person.', {
    ...{ type: 'complex', many: true, readOnly: true },
    parts: [
      attribute('value', 'The id of the group.', { readOnly: true }),
      attribute('display', 'The name of the team.', { readOnly: true }),
      attribute('$ref', 'The address of the group.', { readOnly: true }),
    ],
  }),
]

const group_attributes: readonly object[] = [
  attribute('displayName', 'The name of the team.', { required: true, unique: true }),
  attribute('members', 'The people of the team.', {
    ...{ type: 'complex', many: true },
    parts: [
      attribute('value', 'The id of the user.'),
      attribute('display', 'The name of the person.', { readOnly: true }),
      attribute('type', 'Always User.', { readOnly: true }),
      attribute('$ref', 'The address of the user.', { readOnly: true }),
    ],
  }),
]

export function schemas(publicUrl: string): readonly { readonly id: string }[] {
  const schema = (id: string, name: string, description: string, attributes: readonly object[]) => ({
    ...{ schemas: [schema_schema], id, name, description, attributes },
    meta: { resourceType: 'Schema', location: `${publicUrl}/scim/v2/Schemas/${id}` },
  })
  return [
    schema(user_schema, 'User', 'A person of the organization.', user_attributes),
    schema(group_schema, 'Group', 'A team of the organization.', group_attributes),
  ]
}

/** A list of all, as `/Schemas` and `/ResourceTypes` answer. */
export function listOfAll(resources: readonly object[]): object {
  const { length } = resources
  return { schemas: [list_schema], totalResults: length, startIndex: 1, itemsPerPage: length, Resources: resources }
}
