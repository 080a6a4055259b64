/** What is broken on purpose for the row "isolation". */
import type { PlantedFault } from '../faults.ts'

const pipeline = 'server/src/api/pipeline.ts'

export const isolation_faults = [
  {
    name: 'target_read_outside',
    what: 'the object that a write changes is read outside of its transaction',
    cycles: 6000,
    plants: [
      {
        file: 'server/src/api/commit.ts',
        find: '      reader: tx,\n',
        put: '      reader: services.store.reader(caller.storeScope),\n',
      },
    ],
  },
  {
    name: 'unlocked',
    what: 'writes of one organization run beside each other on PostgreSQL',
    cycles: 6000,
    plants: [
      {
        file: 'server/src/db/postgres.ts',
        find: '        transaction.lock(scope.organization)\n',
        put: '',
      },
    ],
  },
  {
    name: 'uncommitted_is_read',
    what: 'reads see what a transaction has written that is then rolled back',
    cycles: 6000,
    plants: [
      {
        file: 'server/src/db/sqlite-reader.ts',
        find: 'return writing === null || writing.inTransaction ? this.reading : writing',
        put: 'return writing ?? this.reading',
      },
      {
        file: 'server/src/db/sqlite.ts',
        find: 'return await this.runJob(new SqliteTx(new SqliteTransaction(this.writing)), job)',
        put: `const outcome = await this.runJob(new SqliteTx(new SqliteTransaction(this.writing)), job)
      await new Promise((resolve) => setTimeout(resolve, 10))
      return outcome`,
      },
    ],
  },
  {
    name: 'list_of_two_moments',
    what: 'one half of a list is read a little later than the other',
    cycles: 6000,
    plants: [
      {
        file: 'server/src/api/page.ts',
        find: 'const rows = await reader.all(query, values)\n  return toPage(rows, walk, options.show',
        put: `const early = await reader.all(query, values)
  await new Promise((resolve) => setTimeout(resolve, 20))
  const late = await reader.all(query, values)
  const rows = late.map((row, i) => (i % 2 === 0 ? row : (early[i] ?? row)))
  return toPage(rows, walk, options.show`,
      },
    ],
  },
  {
    name: 'believed_for_a_while',
    what: 'an object that was read a moment ago is answered without asking again',
    cycles: 6000,
    plants: [
      {
        file: pipeline,
        find: '  const { target, parent } = await findTarget(operation, sought)\n',
        put: `  const known = believed.get(request.path)
  const isFresh = known !== undefined && performance.now() < known.until
  const { target, parent } = isFresh ? known.found : await findTarget(operation, sought)
  if (!isFresh) believed.set(request.path, { found: { target, parent }, until: performance.now() + 300 })
`,
      },
      {
        file: pipeline,
        find: '/** Answers a request for an operation. Never rejects. */',
        put: 'const believed = new Map()\n',
      },
    ],
  },
] as const satisfies readonly PlantedFault[]
