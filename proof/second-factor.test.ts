import { tryGuards } from './guards.ts'
import { second_factor_faults } from './second-factor-plants.ts'

tryGuards('second factors', 'server/test/console/second-factor.test.ts', second_factor_faults)
