/** What is broken on purpose for the row "log". */
import type { PlantedFault } from '../faults.ts'

const outbox = 'server/src/api/outbox.ts'
const courier = 'server/src/workers/deliveries-courier.ts'
const fanOut = 'server/src/workers/fan-out.ts'

export const log_faults = [
  {
    name: 'numbers_in_blocks',
    what: 'a process takes the numbers of its events in blocks ahead of their commits',
    cycles: 200,
    plants: [
      {
        file: outbox,
        find: 'let sequence = heads.events.get(realm) ?? 0',
        put: 'let sequence = blockOf(heads, realm, size)',
      },
      {
        file: outbox,
        find: 'heads.events.set(realm, sequence)',
        put: 'heads.events.set(realm, Math.max(sequence, heads.events.get(realm) ?? 0))',
      },
      {
        file: outbox,
        find: 'interface Place {',
        put: `const blocks = new Map<number, { next: number; end: number }>()

function blockOf(heads: Heads, realm: number, size: number): number {
  const head = heads.events.get(realm) ?? 0
  let block = blocks.get(realm)
  if (block === undefined || block.next + size > block.end) {
    block = { next: head, end: head + 30 }
    blocks.set(realm, block)
    heads.events.set(realm, block.end)
  }
  block.next += size
  return block.next - size
}

interface Place {`,
      },
    ],
  },
  {
    name: 'joined_ahead',
    what: 'a stream that is resumed is fed from where the others of its process are',
    cycles: 200,
    plants: [
      {
        file: 'server/src/api/event-feed.ts',
        find: 'joined.position = Math.min(joined.position, listener.position)',
        put: 'listener.position = Math.max(joined.position, listener.position)',
      },
      {
        file: 'server/src/api/event-feed.ts',
        find: 'if (rows.length < limits.event_batch_max) return',
        put: 'if (rows.length >= 0) return',
      },
      {
        file: 'server/src/api/event-feed.ts',
        find: '        count: limits.event_batch_max,\n      })\n      hand(listener, rows)',
        put: '        count: 3,\n      })\n      hand(listener, rows)',
      },
    ],
  },
  {
    name: 'position_leaps',
    what: 'deliveries are made of a few events, and the position moves to the end of the log',
    cycles: 200,
    plants: [
      { file: fanOut, find: 'Math.min(limits.event_batch_max, ', put: 'Math.min(2, ' },
      { file: fanOut, find: 'const last = events.at(-1)?.sequence ?? (await', put: 'const last = (await' },
    ],
  },
  {
    name: 'unleased',
    what: 'an endpoint that another process sends to is taken all the same',
    cycles: 200,
    plants: [
      {
        file: courier,
        find: `      .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', p('now'))]))
      .where('consecutive_failures'`,
        put: "      .where('consecutive_failures'",
      },
      {
        file: courier,
        find: `    .where('id', '=', p('id'))
    .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', p('now'))])),`,
        put: "    .where('id', '=', p('id')),",
      },
    ],
  },
] as const satisfies readonly PlantedFault[]
