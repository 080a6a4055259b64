/**
 * Hashes of passwords in worlds and on stages take a thousandth of their processor time: what tests show does not depend on the
 * cost, which was more than half of the time of signing in. `password.test.ts` holds the real cost, in a process of its own.
 */
import { console_limits } from '../src/console/limits.ts'

const { argon2_memory_kib, argon2_passes } = console_limits
const real = { argon2_memory_kib, argon2_passes }
const cheap = { argon2_memory_kib: 64, argon2_passes: 1 }

Object.assign(console_limits, cheap)

/** For what shows only at the real cost. */
export async function atRealCost<T>(work: () => Promise<T>): Promise<T> {
  Object.assign(console_limits, real)
  try {
    return await work()
  } finally {
    Object.assign(console_limits, cheap)
  }
}
