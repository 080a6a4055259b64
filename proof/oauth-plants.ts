/** Faults planted in the sign-in of applications, each with the test that has to notice it. */
import type { Guard } from './guards.ts'
import { fault, replace } from './planted-fault.ts'

const token = 'server/src/console/oauth/token.ts'
const grants = 'server/src/console/oauth/grants.ts'
const redirect = 'server/src/console/oauth/redirect-uri.ts'
const client = 'server/src/console/oauth/client.ts'
const authorization = 'server/src/console/oauth/authorization.ts'
const rights = 'server/src/api/request/oauth-grants.ts'
const authenticate = 'server/src/api/request/authenticate.ts'

/** The name of each test in `server/test/console/oauth.test.ts`, and the fault. */
export const oauth_faults: readonly Guard[] = [
  [
    'accepts a code once: its second use ends the access that the first one gave',
    fault('code_twice', 'a code is not used up', 1, [
      replace(token, 'tx.write(deleteCode, { digest })', ''),
      replace(
        grants,
        'credential: row.id, code_digest, refresh_digest',
        'credential: row.id, code_digest: id, refresh_digest',
      ),
    ]),
  ],
  [
    'accepts a code once: its second use ends the access that the first one gave',
    fault('reuse_ignored', 'a code that is used twice ends nothing', 1, [
      replace(token, 'if (grant !== undefined) await revokeGrant(context, grant)', ''),
    ]),
  ],
  [
    'ends all access when a refresh token is used that was replaced',
    fault('old_refresh_token', 'a refresh token that was replaced is accepted', 1, [
      replace(token, ' || current.refresh_digest !== digest', ''),
    ]),
  ],
  [
    'leads back only to registered addresses, of which only a loopback port may differ',
    fault('redirect_prefix', 'a redirect URI may be longer than the registered one', 1, [
      replace(redirect, 'registered.includes(sent)', 'registered.some((uri) => sent.startsWith(uri))'),
    ]),
  ],
  [
    'refuses a code after a minute, for another client, for another redirect URI, and without its verifier',
    fault('no_pkce', 'the verifier is not compared with the challenge', 1, [
      replace(
        token,
        "!sameBytes(hash('sha256', verifier, 'base64url'), code.challenge)",
        'verifier === code.challenge',
      ),
    ]),
  ],
  [
    'tells a fault of the request to the application only by the person’s click',
    fault('plain_challenge', 'a challenge by another method than S256 is accepted', 1, [
      replace(authorization, "method !== 'S256'", "method !== 'S256' && method !== 'plain'"),
    ]),
  ],
  [
    'needs the secret of a confidential application, in the header or in the body',
    fault('no_secret', 'a confidential application needs no secret', 1, [
      replace(client, ' && claim.proved === null', ' && claim.id === null'),
    ]),
  ],
  [
    'is for members: a guest allows nothing, and loses what was allowed before',
    fault('guest_keeps', 'a person who becomes a guest keeps the access that was given', 1, [
      replace(rights, "row === undefined || row.role === 'guest'", 'row === undefined'),
    ]),
  ],
  [
    'limits a token to the resource that was named',
    fault('any_resource', 'a token is accepted by every part of the server', 1, [
      replace(
        authenticate,
        'caller.resource === undefined || caller.resource === resource',
        'caller.resource !== null',
      ),
    ]),
  ],
  [
    'does not exist for another organization',
    fault('foreign_client', 'a person of another organization can allow the application', 1, [
      replace(authorization, 'client.organization !== session.organization', 'client.organization === null'),
    ]),
  ],
]
