/**
 * Loaded into every test process: when its tests are over and something it left open keeps it from ending, it is ended
 * all the same, with its results written. A test that leaves something open is not failed for it.
 */
import { after } from 'node:test'

const grace_ms = 15_000

after(() => {
  setTimeout(() => process.exit(), grace_ms).unref()
})
