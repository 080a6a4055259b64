import Type from 'typebox'
import { readOperation } from '../../api/declare/operation.ts'
import { described } from '../../api/declare/shapes.ts'
import { newest_version } from '../../api/declare/version.ts'
import { seconds } from '../../lib/clock.ts'

/** The day the newest version was published. */
const created = seconds(Date.parse(`${newest_version}T00:00:00Z`))

/** Describes the API: its version and mode. A good first call (contract/14#api). */
export const retrieveApi = readOperation({
  id: 'api.retrieve',
  method: 'GET',
  path: '/v1',
  summary: 'Retrieve the API root',
  scope: null,
  credits: 1,
  lenient: true,
  returns: Type.Object({
    id: described(Type.Literal('api_service'), 'Id of the service: always `api_service`.'),
    object: described(Type.Literal('api'), 'Kind of object: always `api`.'),
    created: described(Type.Integer(), 'When the newest version was published, in Unix seconds.'),
    version: described(Type.Literal(newest_version), 'Newest version of the API, a date.'),
    livemode: described(Type.Boolean(), 'True with a live credential, false with a test credential.'),
  }),
  handle: ({ caller }) => ({
    id: 'api_service',
    object: 'api',
    created,
    version: newest_version,
    livemode: caller.mode === 'live',
  }),
})
