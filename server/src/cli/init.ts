import { limits } from '../api/limits.ts'
import { command, UsageError } from './command.ts'
import { withServices } from './open.ts'
import { domain, email, text } from './options.ts'
import { linkText, placeText, secretText, table } from './print.ts'

/** Founds an organization; an installation may have several. */
export const init = command({
  name: 'init',
  group: 'Setting up',
  summary: 'Make an organization with its owner and a first key of every scope',
  details:
    'The key is live, belongs to the organization, and is printed this once. So is the link with which the owner\n' +
    'sets a password for the console; it is good for a quarter of an hour (link create makes another).',
  options: {
    organization: {
      shows: '<name>',
      does: 'name of the organization',
      required: true,
      read: text(limits.organization_name_chars_max),
    },
    owner: { shows: '<email>', does: 'e-mail address of its owner', required: true, read: email },
    plan: { shows: '<plan>', does: 'studio (default) or enterprise', choices: ['studio', 'enterprise'] },
    domain: { shows: '<name>', does: 'a domain of its own; may be repeated', many: true, read: domain },
    another: { flag: true, shows: '', does: 'create it although an organization of this name exists' },
  },
  examples: [
    'atrium init --organization Acme --owner ada@acme.example',
    'atrium init --organization Acme --owner ada@acme.example --plan enterprise --domain acme.example --json',
  ],
  async run({ organization, owner, plan, domain, another }) {
    const domains = [...new Set(domain)]
    if (domains.length > limits.domains_max) throw new UsageError(`at most ${limits.domains_max} domains`, 'domain')
    const { found } = await import('./founding.ts')
    const founding = { name: organization, ownerEmail: owner, plan: plan ?? 'studio', domains } as const
    return await withServices(
      async (services, _config, place) => {
        const json = await found(services, founding, another === true)
        const made = table([
          ['organization', json.organization, organization],
          ['owner', json.user, owner],
          ['key', json.api_key.id, `${json.api_key.mode}, every scope`],
        ])
        const secret = secretText(json.api_key.secret, services.settings.publicUrl)
        return {
          json,
          text: `${place === null ? '' : `${placeText(place)}\n\n`}${made}\n\n${linkText(json.setup_url)}\n\n${secret}`,
        }
      },
      { create: true },
    )
  },
})
