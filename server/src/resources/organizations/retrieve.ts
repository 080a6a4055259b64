import { readOperation } from '../../api/declare/operation.ts'
import { Organization, organizationNoun, showOrganization } from './organization.ts'

/** Shows the organization of the credential. Any other id answers 404. */
export const retrieveOrganization = readOperation({
  id: 'organizations.retrieve',
  method: 'GET',
  path: '/v1/organizations/{id}',
  summary: 'Retrieve the organization',
  scope: 'api:read',
  credits: 5,
  target: organizationNoun,
  returns: Organization,
  example: { params: { id: '{organization}' } },
  handle: ({ target }) => showOrganization(target),
})
