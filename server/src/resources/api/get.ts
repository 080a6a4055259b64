import Type from 'typebox'
import { readOperation } from '../../api/operation.ts'
import { newest_version } from '../../api/version.ts'
import { seconds } from '../../lib/clock.ts'

/** The day the newest version was published. */
const created = seconds(Date.parse(`${newest_version}T00:00:00Z`))

/** Says what answers here: the first thing to call (contract §2.1). */
export const retrieveApi = readOperation({
  id: 'api.retrieve',
  method: 'GET',
  path: '/v1',
  summary: 'Retrieve the API root',
  scope: null,
  credits: 1,
  lenient: true,
  returns: Type.Object({
    id: Type.Literal('api_service'),
    object: Type.Literal('api'),
    created: Type.Integer(),
    version: Type.Literal(newest_version),
    livemode: Type.Boolean(),
  }),
  handle: ({ caller }) => ({
    id: 'api_service',
    object: 'api',
    created,
    version: newest_version,
    livemode: caller.mode === 'live',
  }),
})
