/** What must not take longer than in proportion to its text, whatever the machine is like. */
import assert from 'node:assert/strict'

const growth = 16
/** Linear work takes 16 times as long, quadratic 256. */
const growth_max = 96
/** Of the processor: what is shorter is done so often that it is measured. */
const measured_min_us = 20_000
const tries = 3

/** Asserts that `work` on a text 16 times as large takes nowhere near 256 times the processor time; the best of three tries each. */
export function assertLinear(makeText: (size: number) => string, size: number, work: (text: string) => unknown): void {
  const [small, large] = [makeText(Math.floor(size / growth)), makeText(size)]
  work(large)
  const [least, most] = [leastTime(small, work), leastTime(large, work)]
  assert.ok(most <= growth_max * least, `${most} µs, and ${least} µs for a sixteenth: ${large.slice(0, 20)}`)
}

/** Microseconds of the processor for one time. */
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
