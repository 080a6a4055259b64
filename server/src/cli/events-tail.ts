import { limits } from '../api/limits.ts'
import { connect, connectionOptions } from './client/connection.ts'
import { isTerminal } from './client/write-out.ts'
import { command } from './command.ts'
import { list, wholeNumber } from './options.ts'

/** Follows the event log until it is stopped. */
export const eventsTail = command({
  name: 'events tail',
  group: 'Using the API',
  summary: 'Follow the events of the organization as they happen',
  details:
    'Continues after network failures and server restarts: each event is printed exactly once. On a terminal an event is a\n' +
    'readable line; elsewhere, and with --json, a line of JSON. Ctrl-C ends the command with exit code 0.',
  options: {
    types: {
      shows: '<list>',
      does: 'Event types, such as workflow.task.created, workflow.task.* or workflow.*; all by default.',
      many: true,
      read: list,
    },
    since: { shows: '<id>', does: 'Begin after this event; by default with the next one.' },
    workspace: { shows: '<id>', does: 'Only events of this workspace.' },
    object: { shows: '<id>', does: 'Only events of this object.' },
    limit: {
      shows: '<n>',
      does: 'End after this number of events.',
      read: (text: string) => wholeNumber(text, 1, limits.safe_integer_max),
    },
    output: {
      shows: '<form>',
      does: 'Form of the output: table (default on a terminal) or jsonl (default elsewhere).',
      choices: ['table', 'jsonl'],
    },
    ...connectionOptions,
  },
  examples: [
    'atrium events tail --types workflow.task.*',
    'atrium events tail --since evt_01… --output jsonl >> events.jsonl',
  ],
  async run({ types, since, workspace, object, limit, output, ...connection }) {
    const { follow } = await import('./events/follow.ts')
    const { json } = connection as { json?: true }
    await follow(connect(connection), {
      types: types === undefined ? ['*'] : types.flat(),
      since: since ?? null,
      count: limit ?? null,
      people: output === 'table' || (output === undefined && json !== true && isTerminal()),
      wanted: (event) =>
        (workspace === undefined || event.workspace === workspace) &&
        (object === undefined || event.data.object.id === object),
    })
    return null
  },
})
