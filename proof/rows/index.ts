/** The rows of the proof, in the order of the page. */
import type { Row } from '../row.ts'
import { crowd } from './crowd.ts'
import { egress } from './egress.ts'
import { io } from './io.ts'
import { isolation } from './isolation.ts'
import { kill } from './kill.ts'
import { log } from './log.ts'
import { power } from './power.ts'
import { races } from './races.ts'
import { scopesRow } from './scopes.ts'
import { secrets } from './secrets.ts'
import { simulation } from './simulation.ts'
import { tenants } from './tenants.ts'
import { time } from './time.ts'

export const rows: readonly Row[] = [
  kill,
  power,
  io,
  races,
  isolation,
  log,
  time,
  tenants,
  scopesRow,
  secrets,
  egress,
  crowd,
  simulation,
]
