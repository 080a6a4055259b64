/**
 * Imports a drawing into a board, for the operator and the console: the contract only reads items. The whole file is checked
 * before the first write.
 */
import Type from 'typebox'
import type { Mode } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import { Title } from '../../api/declare/shapes.ts'
import { checkShape } from '../../api/request/validate.ts'
import type { Services } from '../../api/services.ts'
import { type Author, commitSystemChange } from '../../api/write/system-change.ts'
import type { BoardRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { type Board, boardNoun, readRoomId, requireActiveBoard } from '../boards/board.ts'
import { boardSnapshotPublished, boardUpdated } from '../boards/events.ts'
import { changeBoard, openBoard } from '../boards/shared/change.ts'
import { findOrganization } from '../organizations/organization.ts'
import { requireUsableProject } from '../projects/shared/usable.ts'
import { toItems } from './excalidraw/items.ts'
import { type Drawing, readDrawing } from './excalidraw.ts'
import { replacement, sceneOfFile } from './scene/element.ts'
import { type DurableImages, keepImages, requireRoomForImages, withImages } from './scene/images.ts'
import { appendChange, openScene } from './scene/log.ts'
import { publishElements } from './scene/publish-scene.ts'

type Writing = Pick<Services, 'store' | 'clock' | 'committed' | 'files' | 'log'>

const Fields = Type.Object({ name: Title })

export interface Import {
  readonly organization: string
  readonly realm: number
  readonly mode: Mode
  /** An Excalidraw file. */
  readonly file: Uint8Array
  /** The board to publish on, by its id or legacy room id. */
  readonly board?: string
  /** The name of the new board that is created without `board`. */
  readonly name?: string
  /** The project that the new board is attached to. */
  readonly project?: string
  readonly legacy_room_id?: string
  /** The actor of the change and owner of a new board. Default: the operator, and the API service user as owner. */
  readonly author?: Author
}

/**
 * Publishes a drawing as the next snapshot of a board; equal content changes nothing. A new board is committed before its
 * first snapshot, because each of the two has an event of its own.
 */
export async function importBoard(services: Writing, sent: Import): Promise<Board> {
  const { organization, realm } = sent
  const room = sent.legacy_room_id === undefined ? undefined : readRoomId(sent.legacy_room_id)
  if (sent.board === undefined) checkShape(Fields, { name: sent.name })
  const drawing = readDrawing(sent.file)
  toItems(drawing, (element) => element)
  return await withImages(services, realm, drawing.assets, async (images) => {
    // Before a new board is created, so that a refused drawing leaves none.
    await requireRoomForImages(services.store.reader({ organization, realms: [realm] }), realm, images)
    const reference = sent.board ?? (await makeBoard(services, sent, room ?? null))
    return await publishOn(services, sent, { reference, room, drawing, images })
  })
}

interface Publication {
  /** The board, by its id or legacy room id. */
  readonly reference: string
  /** The board's new legacy room id. */
  readonly room: string | null | undefined
  readonly drawing: Drawing
  readonly images: DurableImages
}

async function publishOn(
  services: Writing,
  { organization, realm, mode, author: sentAuthor }: Import,
  { reference, room, drawing, images }: Publication,
): Promise<Board> {
  const about = { organization, realms: [{ realm, mode }], action: 'boards.import', ...sentAuthor }
  return await commitSystemChange(services, about, async ({ tx, now, emit, note }) => {
    const board = await boardNoun.find(tx, { organization, realm }, reference)
    if (board === undefined) {
      throw refuse('resource_not_found', { param: 'board', message: `There is no board ${reference}.` })
    }
    requireActiveBoard(board)
    note({ room: board.id })
    const author = sentAuthor?.actor.id ?? board.owner
    const published = await replaceScene(tx, board, { drawing, images, author }, now)
    const fields = { ...published, ...(room === undefined ? {} : { legacy_room_id: room }) }
    return changeBoard({ tx, now, emit }, board, fields, published === null ? boardUpdated : boardSnapshotPublished)
  })
}

interface Replacement {
  readonly drawing: Drawing
  readonly images: DurableImages
  readonly author: string
}

/**
 * Makes the drawing the content of the board, as one change that wins over every element that people see, and publishes it.
 * Returns the changed fields of the board; null if nothing changed.
 */
async function replaceScene(tx: Tx, board: BoardRow, { drawing, images, author }: Replacement, now: number) {
  const key = { realm: board.realm, board: board.id }
  const scene = await openScene(tx, board, now)
  const raw = drawing.elements.map((element) => element.raw)
  const elements = replacement(scene, sceneOfFile(raw, now), now)
  await keepImages(tx, key, images, now)
  appendChange(tx, key, scene, { pending_since: null }, { author, elements, isReplacement: true }, now)
  return await publishElements(tx, board, scene, author, now)
}

/** Creates an empty board owned by the author, or by the API service user, and returns its id. */
async function makeBoard(services: Writing, sent: Import, room: string | null): Promise<string> {
  const { organization, realm, mode, name, project = null, author } = sent
  const about = { organization, realms: [{ realm, mode }], action: 'boards.create', ...author }
  return await commitSystemChange(services, about, async ({ tx, now, emit, note }) => {
    if (project !== null) await requireUsableProject({ tx, caller: { organization, realm } }, project)
    const owner = author?.actor.id ?? ((await tx.first(findOrganization, { organization }))?.service_user as string)
    const board = { realm, name: name as string, description: null, owner, legacy_room_id: room, project }
    const { id } = openBoard({ tx, now, emit }, board)
    note({ room: id })
    return id
  })
}
