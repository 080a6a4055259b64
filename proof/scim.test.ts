import { tryGuards } from './guards.ts'
import { scim_faults } from './scim-plants.ts'

tryGuards('provisioning', 'server/test/console/scim.test.ts', scim_faults)
