/**
 * Importing a drawing into a board: by the operator, since the contract only reads items. The file is checked whole before
 * anything is written.
 */
import type { Caller, Mode } from '../../api/caller.ts'
import { refuse } from '../../api/errors.ts'
import type { Services } from '../../api/services.ts'
import { commitSystemChange } from '../../api/system-change.ts'
import { checkShape } from '../../api/validate.ts'
import Type from 'typebox'
import { Title } from '../../api/shapes.ts'
import type { OrganizationRow } from '../../db/schema.ts'
import { type Board, boardNoun, requireActiveBoard } from '../boards/board.ts'
import { boardSnapshotPublished, boardUpdated } from '../boards/events.ts'
import { readRoom } from '../boards/queries-room.ts'
import { changeBoard, openBoard } from '../boards/queries-change.ts'
import { findOrganization } from '../organizations/organization.ts'
import { readDrawing } from './excalidraw.ts'
import { toItems } from './excalidraw-items.ts'
import { publish } from './queries-publish.ts'

type Writing = Pick<Services, 'store' | 'clock' | 'committed'>

export interface Import {
  readonly organization: string
  readonly realm: number
  readonly mode: Mode
  /** An Excalidraw file. */
  readonly file: Uint8Array
  /** The board to publish on, by its id or legacy room id; otherwise a new one of this name is made. */
  readonly board?: string
  readonly name?: string
  readonly legacy_room_id?: string
}
