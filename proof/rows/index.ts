/** The rows of the proof, in the order of the page. */
import type { Row } from '../row.ts'
import { approvals } from './approvals.ts'
import { calls } from './calls.ts'
import { chats } from './chats.ts'
import { crowd } from './crowd.ts'
import { draw } from './draw.ts'
import { egress } from './egress.ts'
import { filesRow } from './files.ts'
import { flowMail } from './flow-mail.ts'
import { follow } from './follow.ts'
import { forms } from './forms.ts'
import { fuzz } from './fuzz.ts'
import { guests } from './guests.ts'
import { hooks } from './hooks.ts'
import { io } from './io.ts'
import { isolation } from './isolation.ts'
import { kill } from './kill.ts'
import { large } from './large.ts'
import { links } from './links.ts'
import { log } from './log.ts'
import { mailRow } from './mail.ts'
import { many } from './many.ts'
import { model } from './model.ts'
import { power } from './power.ts'
import { push } from './push.ts'
import { races } from './races.ts'
import { restore } from './restore.ts'
import { scopesRow } from './scopes.ts'
import { secrets } from './secrets.ts'
import { simulation } from './simulation.ts'
import { tenants } from './tenants.ts'
import { time } from './time.ts'
import { upgrade } from './upgrade.ts'

export const rows: readonly Row[] = [
  kill,
  power,
  io,
  restore,
  follow,
  upgrade,
  races,
  isolation,
  log,
  time,
  tenants,
  scopesRow,
  guests,
  links,
  model,
  fuzz,
  secrets,
  egress,
  crowd,
  draw,
  filesRow,
  large,
  mailRow,
  push,
  hooks,
  chats,
  forms,
  flowMail,
  approvals,
  calls,
  many,
  simulation,
]
