import { systemClock } from '../lib/clock.ts'
import { command, Failure } from './command.ts'
import { databaseFile, requireDatabase } from './database-files.ts'
import { explained } from './open.ts'

/** Gives up the commits after the damage in a write-ahead log, so that the server starts again. Keeps a copy of the log. */
export const logCut = command({
  name: 'log cut',
  group: 'Keeping watch',
  summary: 'Give up the commits after the damage in a write-ahead log',
  details:
    'For a server over SQLite that refuses to start because the log beside the database, or that of the request log, is\n' +
    'damaged. Cuts the log before its first bad frame: the acknowledged writes after it are lost. Keeps a copy of the log.\n' +
    'A backup may hold more; if pages were copied from after the damage, the next start refuses the database.',
  examples: ['atrium log cut'],
  async run() {
    const { readConfig } = await import('../config.ts')
    const config = readConfig()
    const file = await databaseFile(config)
    if (file === null) throw new Failure('This command is for SQLite: PostgreSQL keeps its own log.')
    await requireDatabase(config)
    const { cutLogs } = await import('../db/sqlite/checked-log.ts')
    try {
      const cuts = cutLogs(file, systemClock.now())
      const lines = cuts.map(
        ({ log, copy, bad_frame, commits }) =>
          `Cut ${log} before frame ${bad_frame} (${commits} ${commits === 1 ? 'commit' : 'commits'} lost). A copy is ${copy}.`,
      )
      return { json: { cuts }, text: cuts.length === 0 ? 'No log is damaged: nothing was cut.' : lines.join('\n') }
    } catch (error) {
      throw explained(config, error)
    }
  },
})
