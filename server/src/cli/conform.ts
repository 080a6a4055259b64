import { didYouMean } from './api/suggest.ts'
import { readServer } from './client/connection.ts'
import { command, Failure, UsageError } from './command.ts'
import { table } from './print.ts'

/** Tries the contract's rules on a server over HTTP, as a client. */
export const conformCommand = command({
  name: 'conform',
  group: 'Keeping watch',
  summary: "Try the contract's rules on every operation of a server",
  details:
    'The run works over HTTP with a key of every scope that nothing else uses meanwhile. It creates objects and deletes\n' +
    'them at the end; it lists what the API cannot delete (a workspace, an export). Use a key of the mode test: a live key\n' +
    'is refused without --live. Exits with 1 if a rule is violated.',
  options: {
    url: { shows: '<url>', does: 'URL of the server.', required: true, read: readServer },
    key: { shows: '<key>', does: 'API key of every scope.', required: true },
    otherKey: { shows: '<key>', does: 'Key of another organization or mode, for the rules between tenants.' },
    workspace: { shows: '<id>', does: 'Workspace to work in; a new one by default.' },
    receiver: { shows: '<url>', does: 'URL that answers every webhook with 2xx, to test the operations of webhooks.' },
    only: { shows: '<rule>', does: 'Only this rule; may be repeated.', many: true },
    operation: { shows: '<id>', does: 'Only this operation, such as tasks.create; may be repeated.', many: true },
    live: { flag: true, shows: '', does: 'Allow a live key.' },
  },
  examples: [
    'atrium conform --url http://127.0.0.1:4010 --key atr_test_…',
    'atrium conform --url https://atrium.example --key atr_test_… --only idempotency-key --only replay --json',
  ],
  async run({ url, key, otherKey, workspace, receiver, only, operation, live }) {
    const { catalogue, operationIds } = await import('../catalogue.ts')
    const { rules } = await import('../conform/rules/index.ts')
    requireKnown(only, new Set(rules.map(({ name }) => name)), 'rule', 'only')
    requireKnown(operation, operationIds, 'operation', 'operation')
    const { conform, Unfit } = await import('../conform/run.ts')
    const { conforms, findings, reportDocument, summaryRows } = await import('../conform/report.ts')
    const say = (line: string) => process.stderr.write(`${line}\n`)
    const options = { url, key, otherKey, workspace, receiver, only, operations: operation, live, say }
    const report = await conform(catalogue, options).catch((error: unknown) => {
      throw error instanceof Unfit ? new Failure(error.message) : error
    })
    const verdict = `${conforms(report) ? 'Conforms' : 'Does not conform'}: ${report.requests} requests.`
    const end = report.stopped === null ? verdict : `${verdict} Not finished: ${report.stopped}.`
    return {
      json: reportDocument(report),
      text: [table(summaryRows(report)), findings(report), end].filter((part) => part !== '').join('\n\n'),
      bad: !conforms(report),
    }
  },
})

function requireKnown(
  given: readonly string[] | undefined,
  known: ReadonlySet<string>,
  what: string,
  param: string,
): void {
  const unknown = given?.find((name) => !known.has(name))
  if (unknown === undefined) return
  const advice = didYouMean(unknown, known) || ` The ${what}s are ${[...known].join(', ')}.`
  throw new UsageError(`There is no ${what} "${unknown}".${advice}`, param)
}
