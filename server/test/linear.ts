/** Asserts that work takes time in proportion to its input, on any machine. */
import assert from 'node:assert/strict'

const growth = 16
/** For 16 times the input, linear work takes 16 times as long and quadratic work 256 times. */
const growth_max = 96
/** CPU time: shorter work is repeated until this is reached. */
const measured_min_us = 20_000
const tries = 3

/** Asserts that `work` on a text 16 times as large takes less than 96 times the CPU time, comparing the best of three tries. */
export function assertLinear(makeText: (size: number) => string, size: number, work: (text: string) => unknown): void {
  const [small, large] = [makeText(Math.floor(size / growth)), makeText(size)]
  work(large)
  const [least, most] = [leastTime(small, work), leastTime(large, work)]
  assert.ok(most <= growth_max * least, `${most} µs, and ${least} µs for a sixteenth: ${large.slice(0, 20)}`)
}

/** CPU time of one execution, in microseconds. */
function leastTime(text: string, work: (text: string) => unknown): number {
  const times = Array.from({ length: tries }, () => {
    const before = process.threadCpuUsage()
    for (let runs = 1; ; runs++) {
      work(text)
      const { user, system } = process.threadCpuUsage(before)
      if (user + system >= measured_min_us) return (user + system) / runs
    }
  })
  return Math.min(...times)
}
