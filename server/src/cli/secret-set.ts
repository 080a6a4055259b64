import { automation_limits } from '../automations/limits.ts'
import { readSecret } from './client/read-secret.ts'
import { command } from './command.ts'
import { withServices } from './open.ts'
import { modeOption, organizationOption } from './options.ts'
import { facts } from './print.ts'

/** Stores a secret for http.request and chat.post steps; replaces one of the same name. It is never shown again. */
export const secretSet = command({
  name: 'secret set',
  group: 'Automations',
  summary: 'Store a secret for automations, read from standard input',
  details:
    'An http.request step that names the secret sends it as a Bearer token in the Authorization header. A secret that\n' +
    'contains a space, such as "Basic dXNlcjpwYXNz", is sent as the whole header. A chat.post step posts to the URL that is\n' +
    'its secret.',
  argument: { shows: '<name>', does: 'Name of the secret in graphs, such as deploy_key.' },
  options: { organization: organizationOption, mode: modeOption },
  examples: ['atrium secret set deploy_key --organization org_01… < deploy.key'],
  async run({ organization, mode }, name) {
    return await withServices(async (services) => {
      const { writeSecret } = await import('../resources/automation_runs/secrets.ts')
      const value = await readSecret('Secret: ', automation_limits.automation_secret_chars_max * 4)
      const json = await writeSecret(services, { organization, mode: mode ?? 'live', name, value })
      return { json, text: facts(json) }
    })
  },
})
