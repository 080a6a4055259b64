import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { frequent_checkpoints } from './disk/frequent-checkpoints.ts'
import { faults } from './faults.ts'
import { kill_plants } from './kill-plants.ts'
import { late_plants } from './late-failures.ts'
import { hold_plants } from './log/hold-plants.ts'
import { oauth_faults } from './oauth-plants.ts'
import type { Plant } from './plant.ts'
import { scim_faults, scim_group_faults } from './scim-plants.ts'
import { second_factor_faults } from './second-factor-plants.ts'
import { simulation_plants } from './simulation/plants.ts'
import { console_team_faults, id_token_faults, team_faults } from './team-plants.ts'

function assertPlantable(plants: readonly Plant[], what: string): void {
  for (const { file, find } of plants) {
    const text = readFileSync(join(import.meta.dirname, '..', file), 'utf8')
    assert.equal(text.split(find).length - 1, 1, `${what} replaces a text that must occur once in ${file}: ${find}`)
  }
}

for (const [row, planted] of Object.entries(faults)) {
  it(`every planted fault of ${row} finds the text that it replaces exactly once`, () => {
    for (const { name, plants } of planted) assertPlantable(plants, name)
  })
}

it('every planted fault of the sign-in of applications finds the text that it replaces exactly once', () => {
  for (const [, { name, plants }] of oauth_faults) assertPlantable(plants, name)
})

it('every planted fault of provisioning finds the text that it replaces exactly once', () => {
  for (const [, { name, plants }] of [
    ...scim_faults,
    ...scim_group_faults,
    ...console_team_faults,
    ...id_token_faults,
    ...team_faults,
  ])
    assertPlantable(plants, name)
})

it('every planted fault of second factors finds the text that it replaces exactly once', () => {
  for (const [, { name, plants }] of second_factor_faults) assertPlantable(plants, name)
})

it('every instrument finds the text that it replaces exactly once', () => {
  assertPlantable(
    [...kill_plants, ...hold_plants, ...simulation_plants, ...frequent_checkpoints, ...late_plants],
    'an instrument',
  )
})
