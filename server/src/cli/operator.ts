/** The operators of the installation, who see its page in the console. */
import type { Operator } from '../console/operator/operators.ts'
import { command } from './command.ts'
import { withServices } from './open.ts'
import { email, organizationOption } from './options.ts'
import { facts, table, time } from './print.ts'

const options = {
  organization: {
    shows: organizationOption.shows,
    does: 'Organization of the member, if several members have the address.',
  },
} as const
const argument = { shows: '<email>', does: 'E-mail address of a member.' } as const

export const operatorAdd = command({
  name: 'operator add',
  group: 'People',
  summary: 'Make a member an operator, who can see the operator page of the console',
  details:
    'The page shows the state of the whole installation. The owner of the first organization is the first operator. If\n' +
    'members of several organizations have the address, name one organization.',
  argument,
  options,
  examples: ['atrium operator add ada@acme.example', 'atrium operator add ada@acme.example --organization org_01…'],
  async run({ organization }, name) {
    return await withServices(async (services) => {
      const { addOperator } = await import('../console/operator/operators.ts')
      const json = await addOperator(services, { email: email(name), organization })
      return { json, text: facts(json) }
    })
  },
})

export const operatorList = command({
  name: 'operator list',
  group: 'People',
  summary: 'List the operators',
  examples: ['atrium operator list'],
  async run() {
    return await withServices(async (services) => {
      const { listOperators } = await import('../console/operator/operators.ts')
      const operators = await listOperators(services)
      return {
        json: { operators },
        text: operators.length === 0 ? "There are no operators. 'atrium operator add' adds one." : listed(operators),
      }
    })
  },
})

export const operatorRemove = command({
  name: 'operator remove',
  group: 'People',
  summary: 'Remove an operator, who stays a member of the organization',
  argument,
  options,
  examples: ['atrium operator remove ada@acme.example'],
  async run({ organization }, name) {
    return await withServices(async (services) => {
      const { removeOperator } = await import('../console/operator/operators.ts')
      const json = await removeOperator(services, { email: email(name), organization })
      return { json, text: facts(json) }
    })
  },
})

function listed(operators: readonly Operator[]): string {
  return table(
    operators.map((each) => [each.email ?? each.user, each.organization_name, each.organization, time(each.created)]),
  )
}
