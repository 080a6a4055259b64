/** What is broken on purpose for the row "time". */
import type { PlantedFault } from '../faults.ts'

export const time_faults = [] as const satisfies readonly PlantedFault[]
