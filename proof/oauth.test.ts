import { tryGuards } from './guards.ts'
import { oauth_faults } from './oauth-plants.ts'

tryGuards('the sign-in of applications', 'server/test/console/oauth.test.ts', oauth_faults)
