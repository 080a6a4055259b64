/** The units of systemd in `deploy/`, as systemd itself reads them. Only the folder of the program is replaced. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'

const root = join(import.meta.dirname, '..')
const has = spawnSync('systemd-analyze', ['--version']).status === 0
const skip = has ? false : 'systemd-analyze is not installed (apt-get install systemd)'

it('systemd reads each unit without a complaint, and each command of it is one of the program', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-units-'))
  try {
    const names = globSync('*.{service,timer}', { cwd: join(root, 'deploy') }).sort()
    assert.deepEqual(names, ['atrium-backup.service', 'atrium-drill.service', 'atrium-drill.timer', 'atrium.service'])
    for (const name of names) {
      const unit = readFileSync(join(root, 'deploy', name), 'utf8')
      const [, words = ''] = /^ExecStart=\/opt\/atrium\/bin\/atrium (\S+)/m.exec(unit) ?? []
      if (words !== '') execFileSync(join(root, 'bin/atrium'), [words, '--help'])
      writeFileSync(join(folder, name), unit.replaceAll('/opt/atrium', root))
    }
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...names], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, SYSTEMD_UNIT_PATH: `${folder}:` },
    })
    const own = (stdout + stderr).split('\n').filter((line) => line.includes('atrium'))
    assert.deepEqual([status, own], [0, []])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
