/**
 * Holds PostgreSQL transactions open before their commit, planted by `hold_plants`. `PROOF_HOLD=7:0.3:15` is the seed, the
 * probability and the longest time in milliseconds; without the variable nothing happens.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Dice } from '../dice.ts'

const [seed = 0, probability = 0, most_ms = 0] = (process.env.PROOF_HOLD ?? '').split(':').map(Number)
const dice = new Dice(seed)

export async function hold(): Promise<void> {
  if (dice.chance(probability)) await sleep(dice.int(1, most_ms))
}
