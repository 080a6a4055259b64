import { limits } from '../api/limits.ts'
import { command } from './command.ts'
import { withServices } from './open.ts'
import { lifeOption, modeOption, organizationOption, scopesOption, text } from './options.ts'
import { secretOutcome } from './print.ts'

/** Creates an API key: by default a live one of the organization with every scope, without expiry. */
export const keyCreate = command({
  name: 'key create',
  group: 'Credentials',
  summary: 'Create an API key and print its secret, once',
  options: {
    organization: organizationOption,
    name: { shows: '<name>', does: 'Purpose of the key.', read: text(limits.title_chars_max) },
    scopes: scopesOption,
    mode: modeOption,
    owner: { shows: '<owner>', does: 'Owner: organization (default), user:<id> or application:<id>.' },
    expiresIn: lifeOption('Lifetime in seconds; unlimited by default.'),
    version: { shows: '<date>', does: 'Version of the API for requests with the key; the newest by default.' },
  },
  examples: [
    'atrium key create --organization org_01… --name Reporting --scopes tasks:read,projects:read',
    'atrium key create --organization org_01… --mode test --expires-in 86400 --json',
  ],
  async run({ organization, name, scopes, mode, owner, expiresIn, version }) {
    return await withServices(async (services) => {
      const { createKey } = await import('../resources/api_keys/create-by-operator.ts')
      const key = await createKey(services, {
        organization,
        ...(name === undefined ? {} : { name }),
        ...(scopes === undefined ? {} : { scopes: [...scopes] }),
        ...(mode === undefined ? {} : { mode }),
        ...(owner === undefined ? {} : { owner }),
        ...(expiresIn === undefined ? {} : { expires_in: expiresIn }),
        ...(version === undefined ? {} : { version }),
      })
      return secretOutcome(key, services.settings.publicUrl)
    })
  },
})
