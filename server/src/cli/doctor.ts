import { command } from './command.ts'
import { table } from './print.ts'

/** Examines the installation beside a running server; exit 1 when something would make it lose data. */
export const doctor = command({
  name: 'doctor',
  group: 'Keeping watch',
  summary: 'Check this installation for what would lose data',
  details:
    'Checks versions, durability settings, integrity, row-level security, migrations, files, disk, clock and secret key.\n' +
    'Changes nothing: of a damaged write-ahead log it says what the next start corrects, and leaves the database closed.\n' +
    'Exits with 1 when a check fails.',
  examples: ['atrium doctor', 'atrium doctor --json'],
  async run() {
    const { examine } = await import('./doctor-checks.ts')
    const checks = await examine()
    const bad = checks.some(({ status }) => status === 'fail')
    const rows = checks.map(({ status, name, found }) => [status.padEnd(4), name, found])
    const advice = checks.filter((check) => check.advice !== null).map(({ name, advice }) => `${name}: ${advice}`)
    const verdict = bad ? 'This installation can lose data.' : 'No check found a cause of data loss.'
    const text = [table(rows), ...(advice.length === 0 ? [] : ['', ...advice]), '', verdict].join('\n')
    return { json: { ok: !bad, checks }, text, bad }
  },
})
