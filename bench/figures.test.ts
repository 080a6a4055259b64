/** Verdicts, exit codes, shares, and where figures are written. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { type Benchmark, readOptions } from './command.ts'
import { exitCodeOf, type Figure, figureTable, keep, verdict } from './figures.ts'
import type { Sample } from './measure.ts'
import { type Case, goalFigures, median, percentile, resultOf } from './report.ts'

const quiet = 0
const busy = 0.5

function figure(value: number, more: Partial<Figure> = {}): Figure {
  return { name: 'a figure', value, unit: 'ms', goal: { at_most: 10 }, ...more }
}

function outcome(figures: readonly Figure[], others = quiet) {
  return { name: 'test', figures, others, options: {} }
}

function sample(more: Partial<Sample>): Sample {
  return {
    requests: 100,
    rps: 100,
    cpu_us: 10,
    database_us: 0,
    p50_ms: 1,
    p99_ms: 2,
    bad: 0,
    others: 0,
    mib: 50,
    ...more,
  }
}

function caseOf(job: Case['job'], floor: Partial<Sample>[], product: Partial<Sample>[], connections = 64): Case {
  const samples = { floor: floor.map(sample), product: product.map(sample) }
  return { engine: 'sqlite', job, connections, floor: 'a floor', samples }
}

describe('figures of benchmarks', () => {
  it('meet a goal including its bound', () => {
    assert.equal(verdict(figure(10), quiet), 'met')
    assert.equal(verdict(figure(10.01), quiet), 'MISSED')
    assert.equal(verdict(figure(0.75, { goal: { at_least: 0.75 } }), quiet), 'met')
    assert.equal(verdict(figure(0.74, { goal: { at_least: 0.75 } }), quiet), 'MISSED')
    assert.equal(verdict(figure(5, { goal: { above: 5 } }), quiet), 'MISSED')
    assert.equal(verdict({ name: 'no goal', value: 5, unit: 'ms' }, quiet), '')
  })

  it('miss their goal if nothing was measured', () => {
    assert.equal(verdict(figure(Number.NaN), quiet), 'MISSED')
  })

  it('are not judged on a busy machine unless other processes do not affect them', () => {
    assert.equal(verdict(figure(5), busy), 'unsure')
    assert.equal(verdict(figure(50), busy), 'unsure')
    assert.equal(verdict(figure(50, { steady: true }), busy), 'MISSED')
    assert.equal(verdict(figure(50, { unsure: 'too few cores' }), quiet), 'unsure')
  })

  it('are judged by the other processes during their own measurement, if that is known', () => {
    assert.equal(verdict(figure(5, { others: 0.5 }), quiet), 'unsure')
    assert.equal(verdict(figure(5, { others: 0.01 }), busy), 'met')
  })

  it('exit with 0 if all goals are met, 1 if one is missed, 3 if undecided on this machine', () => {
    assert.equal(exitCodeOf(outcome([figure(5), { name: 'no goal', value: 1, unit: '' }])), 0)
    assert.equal(exitCodeOf(outcome([figure(5), figure(50)])), 1)
    assert.equal(exitCodeOf(outcome([figure(5)], busy)), 3)
    assert.equal(exitCodeOf(outcome([figure(5), figure(50, { steady: true })], busy)), 1)
  })

  it('show in their table what makes them unsure', () => {
    assert.match(figureTable(outcome([figure(5)], busy)), /other processes used 0\.50 cores/)
    assert.doesNotMatch(figureTable(outcome([figure(5)])), /other processes/)
    assert.match(figureTable(outcome([figure(5, { unsure: 'too few cores' })])), /unsure: a figure: too few cores/)
  })

  it('are written with date, machine, versions and verdicts', () => {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-bench-'))
    after(() => rmSync(folder, { recursive: true, force: true }))
    const file = keep(outcome([figure(50)]), { file: join(folder, 'kept.json'), full: true })
    const kept = JSON.parse(readFileSync(file, 'utf8'))
    assert.equal(kept.figures[0].verdict, 'MISSED')
    assert.ok(kept.machine.cores >= 1)
    assert.equal(kept.versions.node, process.versions.node)
    assert.ok(Math.abs(Date.parse(kept.date) - Date.now()) < 60_000)
  })
})

describe('shares of floors', () => {
  it('are medians over rounds, and a bad answer in any round shows', () => {
    const product = [{ rps: 80 }, { rps: 60, bad: 1 }, { rps: 1 }]
    const result = resultOf(caseOf('get', [{ rps: 100 }, { rps: 120 }, { rps: 90 }], product))
    assert.equal(result.share, 0.6)
    assert.deepEqual(result.shares, [0.8, 0.5, 1 / 90])
    assert.equal(result.product.bad, 1)
  })

  it('are compared with the goals of their cases, a 304 with the 200, and latency at one connection', () => {
    const results = [
      caseOf('get', [{ rps: 100 }], [{ rps: 70 }]),
      caseOf('304', [{ rps: 100 }], [{ rps: 71 }]),
      caseOf('get', [{ rps: 100 }], [{ rps: 70, p50_ms: 0.3 }], 1),
    ].map(resultOf)
    const verdicts = goalFigures(results).map((one) => [one.name, verdict(one, quiet)])
    assert.deepEqual(verdicts, [
      ['sqlite get', 'MISSED'],
      ['sqlite 304, against the 200', 'met'],
      ['sqlite get x1, p50', 'MISSED'],
    ])
    assert.deepEqual(goalFigures(results.slice(1, 2)), [])
  })

  it('use medians and percentiles that are values or the mean of two', () => {
    assert.equal(median([3, 1, 2]), 2)
    assert.equal(median([4, 1, 2, 3]), 2.5)
    assert.equal(percentile([1, 2, 3, 4], 0.5), 2)
    assert.equal(percentile([1, 2, 3, 4], 0.99), 4)
    assert.ok(Number.isNaN(percentile([], 0.5)))
  })
})

describe('options of a benchmark', () => {
  const declared: Benchmark<'tasks'> = {
    name: 'test',
    does: 'Nothing.',
    engines: ['sqlite'],
    sizes: { tasks: { full: 100, quick: 10, means: 'tasks' } },
    run: async () => [],
  }

  it('give the full size, the quick one, or the one on the command line', () => {
    assert.equal(readOptions(declared, []).sizes.tasks, 100)
    assert.equal(readOptions(declared, ['--quick']).sizes.tasks, 10)
    assert.equal(readOptions(declared, ['--quick', '--tasks', '7']).sizes.tasks, 7)
  })

  it('are refused by name if unknown or invalid', () => {
    assert.throws(() => readOptions(declared, ['--tasks', 'many']), /--tasks must be a whole number/)
    assert.throws(() => readOptions(declared, ['--tasks', '0']), /--tasks must be a whole number/)
    assert.throws(() => readOptions(declared, ['--task', '5']), /--task/)
    assert.throws(() => readOptions(declared, ['--pg']), /does not run on PostgreSQL/)
  })
})
