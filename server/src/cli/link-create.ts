import { command } from './command.ts'
import { emailOption } from './member-options.ts'
import { withServices } from './open.ts'
import { organizationOption } from './options.ts'
import { facts, linkText } from './print.ts'

/** Makes a link with which a member signs in: for the first owner, and for who has lost the password. */
export const linkCreate = command({
  name: 'link create',
  group: 'People',
  summary: 'Make a link with which a member sets a password for the console',
  details:
    'The link is good for a quarter of an hour, once; the links that the member had before are over. A member who has\n' +
    'an account gets a new password: its passkeys and sessions end when the link is used.',
  options: {
    organization: organizationOption,
    email: { ...emailOption, required: true },
    role: {
      shows: '<role>',
      does: 'what the person may do: owner, admin or member; without it as before',
      choices: ['owner', 'admin', 'member'],
    },
  },
  examples: ['atrium link create --organization org_01… --email ada@acme.example --role owner'],
  async run({ organization, email, role }) {
    return await withServices(async (services) => {
      const { createOperatorLink } = await import('../console/links/create-operator-link.ts')
      const json = await createOperatorLink(services, { organization, email, ...(role === undefined ? {} : { role }) })
      const { url, ...shown } = json
      return { json, text: `${facts(shown)}\n\n${linkText(url)}` }
    })
  },
})
