import { limits } from '../api/limits.ts'
import { command } from './command.ts'
import { withServices } from './open.ts'
import { lifeOption, modeOption, organizationOption, scopesOption, text } from './options.ts'
import { secretOutcome } from './print.ts'

/** Issues an access token owned by an application. */
export const tokenCreate = command({
  name: 'token create',
  group: 'Credentials',
  summary: 'Issue an access token to an application and print it, once',
  options: {
    organization: organizationOption,
    application: {
      shows: '<name>',
      does: 'Application that owns the token.',
      required: true,
      read: text(limits.id_chars_max),
    },
    scopes: scopesOption,
    mode: modeOption,
    expiresIn: lifeOption('Lifetime in seconds; an hour by default.'),
  },
  examples: ['atrium token create --organization org_01… --application importer --scopes tasks:write'],
  async run({ organization, application, scopes, mode, expiresIn }) {
    return await withServices(async (services) => {
      const { createToken } = await import('../resources/api_keys/create-by-operator.ts')
      const token = await createToken(services, {
        organization,
        application,
        ...(scopes === undefined ? {} : { scopes: [...scopes] }),
        ...(mode === undefined ? {} : { mode }),
        ...(expiresIn === undefined ? {} : { expires_in: expiresIn }),
      })
      return secretOutcome(token, services.settings.publicUrl)
    })
  },
})
