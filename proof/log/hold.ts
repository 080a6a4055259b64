/**
 * Holds transactions of PostgreSQL open for a moment before their commit: an instrument that breaks nothing, planted by
 * `hold_plants`. How often and how long, a process that is to do so finds in the environment: `PROOF_HOLD=7:0.3:15` is the seed of
 * its dice, the probability, and the most milliseconds.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Dice } from '../dice.ts'

const [seed = 0, probability = 0, most_ms = 0] = (process.env.PROOF_HOLD ?? '').split(':').map(Number)
const dice = new Dice(seed)

export async function hold(): Promise<void> {
  if (dice.chance(probability)) await sleep(dice.int(1, most_ms))
}
