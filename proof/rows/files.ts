/**
 * Files that strangers send and fetch. Servers are killed under uploads, the disk fills, URLs are changed, and names, contents
 * and images are made to be taken for something else.
 */
import { imageSkipReason } from '../disk/image.ts'
import { fillDisk, killUploads } from '../files/killing.ts'
import { tryHostile } from '../files/try-hostile.ts'
import { row, type Trial } from '../row.ts'

/** Of the cycles, one in this many is a kill or a full disk. */
const kill_share = 50
const disk_share = 100

export const filesRow = row({
  name: 'files',
  promise:
    'An acknowledged file is served whole or not at all, whatever ends an upload; a changed URL leads nowhere; and no name, content or image harms who opens it or the server.',
  cycle:
    'a changed URL, a hostile name or content, a range of bytes; one in fifty is a SIGKILL under uploads of four clients, one in a hundred a full disk',
  cycles: { short: 40, long: 20_000 },
  unproven: [
    'Browsers themselves: the headers are judged by a list of types that run code.',
    'A full disk of a bucket. A power failure after an upload: the row "power" tries the database only.',
  ],
  async run(trial) {
    const kills = Math.ceil(trial.cycles / kill_share)
    const fulls = Math.ceil(trial.cycles / disk_share)
    for (const engine of trial.engines) {
      if (trial.isOver) break
      await tryHostile(trial, engine, Math.ceil((trial.cycles - kills - fulls) / trial.engines.length))
      trial.say(`${engine}: hostile files tried`)
    }
    const noImage = await tryFullDisk(trial, fulls)
    await tryKills(trial, kills)
    return { cycles: trial.cycles, ...(noImage === null ? {} : { figures: { 'no full disk': noImage } }) }
  },
})

async function tryFullDisk(trial: Trial, times: number): Promise<string | null> {
  const noImage = await imageSkipReason()
  if (noImage === null && !trial.isOver) await fillDisk(trial, times)
  return noImage
}

const deployments = [
  { engine: 'sqlite', isBucket: false },
  { engine: 'postgres', isBucket: false },
  { engine: 'sqlite', isBucket: true },
] as const

async function tryKills(trial: Trial, kills: number): Promise<void> {
  for (const [i, { engine, isBucket }] of deployments.entries()) {
    const share = Math.floor((kills + deployments.length - 1 - i) / deployments.length)
    if (share > 0 && !trial.isOver && trial.engines.includes(engine)) await killUploads(trial, engine, share, isBucket)
  }
}
