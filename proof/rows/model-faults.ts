/** Where the product is broken for the row `model`: a rule of a resource, a cascade, the account of a replay, an ambiguity. */
import type { PlantedFault } from '../faults.ts'

export const model_faults = [
  {
    name: 'completed_stays',
    what: 'a task that is not done any more keeps its time of completion',
    cycles: 400,
    plants: [
      {
        file: 'server/src/resources/tasks/queries-change.ts',
        find: "if (status !== 'done') return { status, completed_at: null }",
        put: "if (status !== 'done') return { status }",
      },
    ],
  },
  {
    name: 'columns_stay',
    what: 'the columns of a deleted project stay',
    cycles: 400,
    plants: [
      {
        file: 'server/src/resources/projects/queries-change.ts',
        find: 'tx.write(buryColumns',
        put: 'if (now < 0) tx.write(buryColumns',
      },
    ],
  },
  {
    name: 'replay_is_charged',
    what: 'a replay costs what its first request did',
    cycles: 8,
    plants: [
      {
        file: 'server/src/api/pipeline.ts',
        find: 'call.charge === null || call.originalRequest !== null || status',
        put: 'call.charge === null || status',
      },
    ],
  },
  {
    name: 'any_room',
    what: 'a legacy room id that several boards have stands for one of them',
    cycles: 8,
    plants: [
      {
        file: 'server/src/resources/boards/board.ts',
        find: "throw refuse('resource_id_ambiguous'",
        put: "if (boards.length < 0) throw refuse('resource_id_ambiguous'",
      },
    ],
  },
] as const satisfies readonly PlantedFault[]
