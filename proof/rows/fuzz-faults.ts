/** Where the product is broken for the row "fuzz": one of each kind that it judges. */
import type { PlantedFault } from '../faults.ts'

export const fuzz_faults = [
  {
    name: 'badly_escaped',
    what: 'a query that is not well escaped is a fault of the server',
    cycles: 6000,
    plants: [
      {
        file: 'server/src/api/validate.ts',
        find: "  } catch {\n    throw refuse('invalid_query_parameter', {",
        put: "  } catch (error) {\n    throw error ?? refuse('invalid_query_parameter', {",
      },
    ],
  },
  {
    name: 'undocumented_field',
    what: 'a task that is due shows a field that the document does not name',
    cycles: 6000,
    plants: [
      {
        file: 'server/src/resources/tasks/task.ts',
        find: '    template: row.template,\n    revision: row.revision,\n',
        put: '    template: row.template,\n    revision: row.revision,\n    ...(row.due_at === null ? {} : { due: true }),\n',
      },
    ],
  },
  {
    name: 'deep_filter',
    what: 'the parser of filters throws what it does not declare where parentheses are too deep',
    cycles: 20_000,
    plants: [
      {
        file: 'server/src/resources/tasks/filter/parse.ts',
        find: 'if (++this.#depth > limits.filter_depth_max) this.#refuse(',
        put: 'if (++this.#depth > limits.filter_depth_max) throw new RangeError(',
      },
    ],
  },
  {
    name: 'long_turn',
    what: 'a body of more than 16 KiB is looked at for 300 ms in one go',
    cycles: 20_000,
    plants: [
      {
        file: 'server/src/api/validate.ts',
        find: '  const parsed = parseStrictJson(text,',
        put: `  for (const end = performance.now() + 300; text.length > 16_384 && performance.now() < end; );
  const parsed = parseStrictJson(text,`,
      },
    ],
  },
  {
    name: 'one_engine',
    what: 'texts that PostgreSQL kept are read back as Latin-1',
    cycles: 3000,
    plants: [
      {
        file: 'server/src/db/postgres-rows.ts',
        find: "bytes.toString('utf8', at, end)",
        put: "bytes.toString('latin1', at, end)",
      },
    ],
  },
  {
    name: 'two_lengths',
    what: 'a request that says in two ways how long it is is taken',
    cycles: 6000,
    plants: [
      {
        file: 'server/src/http/server.ts',
        find: '      requireHostHeader: false,\n',
        put: '      requireHostHeader: false,\n      insecureHTTPParser: true,\n',
      },
    ],
  },
] as const satisfies readonly PlantedFault[]
