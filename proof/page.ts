/** Writes docs/proof.md from the rows and the recorded verdicts; with `--check` only compares. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { faultsOf } from './faults.ts'
import { type Recorded, recordedOf } from './results.ts'
import type { Row } from './row.ts'
import { rows } from './rows/index.ts'

const path = join(import.meta.dirname, '../docs/proof.md')

/** The last verdict about the unchanged product, and the last about each planted fault. */
function latest(row: Row): { plain: Recorded | undefined; faults: readonly (Recorded | undefined)[] } {
  const recorded = recordedOf(row.name)
  return {
    plain: recorded.findLast(({ fault }) => fault === undefined),
    faults: faultsOf(row.name).map(({ name }) => recorded.findLast(({ fault }) => fault === name)),
  }
}

function summary(row: Row): string {
  const { plain, faults } = latest(row)
  const noticed = faults.filter((verdict) => verdict !== undefined && verdict.violations > 0).length
  const caught = `${noticed} of ${faultsOf(row.name).length}`
  if (plain === undefined) return `| [${row.name}](#${row.name}) | not run yet | | | ${caught} |`
  if (plain.skipped !== undefined) return `| [${row.name}](#${row.name}) | skipped: ${plain.skipped} | | | ${caught} |`
  return `| [${row.name}](#${row.name}) | ${plain.cycles.toLocaleString('en')} | ${plain.violations} | ${plain.seconds} s | ${caught} |`
}

function section(row: Row): string {
  const { plain, faults } = latest(row)
  const lines = [`## ${row.name}`, '', row.promise, '', `A cycle is ${row.cycle}.`, '']
  if (plain?.skipped === undefined && plain !== undefined) lines.push(...recordedRun(row, plain))
  lines.push('| Planted fault | Violations found |', '|---|---|')
  faultsOf(row.name).forEach(({ name, what }, i) => {
    const verdict = faults[i]
    const found =
      verdict === undefined ? 'not run yet' : `${verdict.violations} in ${verdict.cycles} (seed ${verdict.seed})`
    lines.push(`| \`${name}\`: ${what} | ${found} |`)
  })
  lines.push('')
  if (row.unproven.length > 0) lines.push('Not shown by this row:', '', ...row.unproven.map((text) => `- ${text}`), '')
  return lines.join('\n')
}

/** The recorded run of the unchanged product: where it ran, how to repeat it, and its figures. */
function recordedRun(row: Row, plain: Recorded): string[] {
  const lines = [
    `Recorded on ${plain.date} with seed ${plain.seed} on ${plain.machine}, Node ${plain.node}:`,
    '',
    `    npm run proof -- ${row.name} --seed=${plain.seed} --cycles=${plain.cycles}`,
    '',
  ]
  const figures = Object.entries(plain.figures ?? {})
  if (figures.length === 0) return lines
  const table = figures.map(([name, figure]) => `| ${name} | ${figure.toLocaleString('en')} |`)
  return [
    ...lines,
    '<details><summary>Figures</summary>',
    '',
    '| Figure | Value |',
    '|---|---|',
    ...table,
    '',
    '</details>',
    '',
  ]
}

function page(all: readonly Row[]): string {
  const head = [
    '<!-- Written by proof/page.ts from proof/rows and proof/results. -->',
    '# Proof',
    '',
    "The proof tries Atrium's promises many times, with crashes, power cuts, bad input and hostile neighbours. Each row is one promise and one command, and its seed",
    'repeats the same trial. Each row has planted faults: the product is broken on purpose and the row must notice, because a check that cannot fail proves nothing.',
    '',
    '    npm run proof -- ROW --seed=S            the short run; the tests include it for rows with a test file',
    '    npm run proof -- ROW --long --record     the long run, recorded under proof/results',
    '    npm run proof -- ROW --faults            every planted fault of the row',
    '',
    '| Row | Cycles | Violations | Time | Planted faults noticed |',
    '|---|---|---|---|---|',
    ...all.map(summary),
    '',
    'Not proved by any row: behaviour on a disk that reports writes it has not made, and with torn sectors. Neither can be produced here.',
    '',
  ]
  return `${head.join('\n')}\n${all.map(section).join('\n')}`
}

if (import.meta.main) {
  const text = page(await Promise.all(Object.values(rows).map((load) => load())))
  if (!process.argv.includes('--check')) writeFileSync(path, text)
  else if (readFileSync(path, 'utf8') !== text) {
    console.error('docs/proof.md is out of date. Run `node proof/page.ts`.')
    process.exitCode = 1
  }
}
