import { tryGuards } from './guards.ts'
import { scim_faults, scim_group_faults } from './scim-plants.ts'

tryGuards('provisioning', 'server/test/console/scim.test.ts', scim_faults)
tryGuards('groups', 'server/test/console/scim-groups.test.ts', scim_group_faults)
