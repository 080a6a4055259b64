import { command } from './command.ts'
import { emailOption } from './member-options.ts'
import { withServices } from './open.ts'
import { organizationOption } from './options.ts'
import { facts, linkText } from './print.ts'

/** Creates a sign-in link for a member: for the first owner, and for members who have lost their password. */
export const linkCreate = command({
  name: 'link create',
  group: 'People',
  summary: 'Create a link at which a member sets a password for the console',
  details:
    'The link is valid once, for 15 minutes; earlier links of the member become invalid. A member who has an account sets\n' +
    'a new password: using the link deletes the passkeys and ends the sessions of the account.',
  options: {
    organization: organizationOption,
    email: { ...emailOption, required: true },
    role: {
      shows: '<role>',
      does: 'Role in the console: owner, admin or member; unchanged by default.',
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
