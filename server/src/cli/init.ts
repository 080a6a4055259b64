import { limits } from '../api/limits.ts'
import { command, UsageError } from './command.ts'
import { withServices } from './open.ts'
import { domain, email, text } from './options.ts'
import { linkText, placeText, secretText, table } from './print.ts'

/** Founds an organization; an installation may have several. */
export const init = command({
  name: 'init',
  group: 'Setting up',
  summary: 'Create an organization with its owner and a first key of every scope',
  details:
    'The key is live and belongs to the organization. It is printed once, with a link at which the owner sets a password\n' +
    'for the console. The link is valid for 15 minutes; link create creates another.',
  options: {
    organization: {
      shows: '<name>',
      does: 'Name of the organization.',
      required: true,
      read: text(limits.organization_name_chars_max),
    },
    owner: { shows: '<email>', does: 'E-mail address of the owner.', required: true, read: email },
    plan: { shows: '<plan>', does: 'Plan: studio (default) or enterprise.', choices: ['studio', 'enterprise'] },
    domain: { shows: '<name>', does: 'Domain of the organization; may be repeated.', many: true, read: domain },
    another: { flag: true, shows: '', does: 'Create it even if an organization of this name exists.' },
  },
  examples: [
    'atrium init --organization Acme --owner ada@acme.example',
    'atrium init --organization Acme --owner ada@acme.example --plan enterprise --domain acme.example --json',
  ],
  async run({ organization, owner, plan, domain, another }) {
    const domains = [...new Set(domain)]
    if (domains.length > limits.domains_max)
      throw new UsageError(
        `An organization has at most ${limits.domains_max} domains; ${domains.length} are given.`,
        'domain',
      )
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
