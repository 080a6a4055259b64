import { command, Failure, Fault } from './command.ts'
import { table } from './print.ts'

/** Tries the contract's rules on a server, over HTTP, as a client would. */
export const conformCommand = command({
  name: 'conform',
  group: 'Keeping watch',
  summary: "Try the contract's rules on a server, operation by operation",
  details:
    'It works over HTTP with a key of every scope that nothing else uses meanwhile, makes objects and removes them again; what the API cannot remove ' +
    '(a workspace, an export) is listed in the end. Use a key of the mode test; a live key is refused without --live. Exit 1 when a rule is violated.',
  options: {
    url: { shows: '<url>', does: 'where the server is', required: true, read: readUrl },
    key: { shows: '<key>', does: 'API key of every scope', required: true },
    otherKey: { shows: '<key>', does: 'key of another organization or mode, for the rules between tenants' },
    workspace: { shows: '<id>', does: 'workspace to work in; by default a new one' },
    receiver: { shows: '<url>', does: 'a URL that answers every webhook with 2xx, for the operations of webhooks' },
    only: { shows: '<rule>', does: 'only this rule; may be repeated', many: true },
    operation: { shows: '<id>', does: 'only this operation, as tasks.create; may be repeated', many: true },
    live: { flag: true, shows: '', does: 'allow a live key' },
  },
  examples: [
    'atrium conform --url http://127.0.0.1:4010 --key atr_test_…',
    'atrium conform --url https://atrium.example --key atr_test_… --only idempotency-key --only replay --json',
  ],
  async run({ url, key, otherKey, workspace, receiver, only, operation, live }) {
    const { catalogue, operationIds } = await import('../catalogue.ts')
    const { rules } = await import('../conform/rules/index.ts')
    requireKnown(only, new Set(rules.map(({ name }) => name)), 'rule')
    requireKnown(operation, operationIds, 'operation')
    const { conform, Unfit } = await import('../conform/run.ts')
    const { conforms, findings, reportDocument, summaryRows } = await import('../conform/report.ts')
    const say = (line: string) => process.stderr.write(`${line}\n`)
    const options = { url, key, otherKey, workspace, receiver, only, operations: operation, live, say }
    const report = await conform(catalogue, options).catch((error: unknown) => {
      throw error instanceof Unfit ? new Failure(error.message) : error
    })
    const end = `${conforms(report) ? 'Conforms' : 'Does not conform'}: ${report.requests} requests.${report.stopped === null ? '' : ` Not finished: ${report.stopped}.`}`
    return {
      json: reportDocument(report),
      text: [table(summaryRows(report)), findings(report), end].filter((part) => part !== '').join('\n\n'),
      bad: !conforms(report),
    }
  },
})

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Fault('must be an http or https URL')
  return text
}

function requireKnown(given: readonly string[] | undefined, known: ReadonlySet<string>, what: string): void {
  const unknown = given?.find((name) => !known.has(name))
  if (unknown !== undefined) throw new Failure(`there is no ${what} ${unknown}; there are: ${[...known].join(', ')}`, 2)
}
