/** Images that guests of links add to the board of their link. */
import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { limits } from '../../api/limits.ts'
import type { Services } from '../../api/services.ts'
import type { Reader } from '../../db/store.ts'
import { readObject } from '../../resources/board_items/excalidraw/fields.ts'
import { type Asset, readAsset } from '../../resources/board_items/excalidraw.ts'
import { type DurableImages, keepImages, readImages, withImages } from '../../resources/board_items/scene/images.ts'
import { scene_limits } from '../../resources/board_items/scene/limits.ts'
import type { BoardKey } from '../../resources/board_items/scene/log.ts'
import { board_link_limits } from '../../resources/board_links/limits.ts'
import { guestImages } from '../../resources/board_links/queries.ts'
import {
  accessOfLink,
  endedLink,
  findGuest,
  type PresentGuest,
  presentGuest,
  scopeOf,
} from '../../resources/board_links/shared/guests.ts'
import { endpoint } from '../endpoint.ts'
import { body, LinkToken } from '../fields.ts'
import { console_limits } from '../limits.ts'

/**
 * Stores an image of the link's board under the id of its file: a PNG, JPEG, WebP or GIF as a data URL. What the board has
 * under this id already stays.
 */
export const storeGuestBoardImage = endpoint('POST board-guests/images/store', {
  needs: 'nothing',
  body: body({
    token: LinkToken,
    file: Type.String({ minLength: 1, maxLength: limits.board_element_text_chars_max }),
    data_url: Type.String({ minLength: 1 }),
  }),
  body_bytes_max: console_limits.console_image_bytes_max,
  async handle({ services, body: { token, file, data_url }, now }) {
    // Before the image is read, so that only guests cause that work.
    const present = await findGuest(services, token, now)
    if (present === null) throw endedLink()
    requireMayAddImages(present)
    const asset = readAsset({ ...readObject({ dataURL: data_url }, ''), path: 'file' })
    await withImages(services, present.guest.realm, new Map([[file, asset]]), async (images) =>
      storeImage(services, present, { file, asset, images }),
    )
    return { file }
  },
})

/**
 * Stores an image under the id of its file. A file that the board has stays as it is: a guest replaces no image. Refuses (409) over
 * the bounds of the board and of the organization.
 */
async function storeImage(
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  { guest: { realm, id, organization } }: PresentGuest,
  { file, asset, images }: { readonly file: string; readonly asset: Asset; readonly images: DurableImages },
): Promise<void> {
  await store.write(scopeOf({ organization, realm }), async (tx) => {
    const now = clock.now()
    const present = await presentGuest(tx, { realm, id }, now)
    if (present === null) throw endedLink()
    requireMayAddImages(present)
    const key = { realm, board: present.board.id }
    const stored = await readImages(tx, key)
    if (stored.has(file)) return
    await requireRoomForImage(tx, key, stored.size, asset)
    await keepImages(tx, key, images, now, id)
  })
}

/** Refuses a guest who may not draw. */
function requireMayAddImages({ link }: PresentGuest): void {
  if (accessOfLink(link) === 'editor') return
  throw refuse('insufficient_scope', { message: 'The link is not for drawing.' })
}

async function requireRoomForImage(reader: Reader, key: BoardKey, count: number, asset: Asset): Promise<void> {
  const { board_guests_images_max, board_guests_image_bytes_max } = board_link_limits
  if (count >= scene_limits.images_max) {
    throw refuse('resource_conflict', { message: `A board has at most ${scene_limits.images_max} images.` })
  }
  const added = await reader.all(guestImages, { ...key })
  if (added.length >= board_guests_images_max) {
    throw refuse('resource_conflict', { message: `Guests add at most ${board_guests_images_max} images to a board.` })
  }
  const bytes = added.reduce((sum, image) => sum + image.size_bytes, asset.size_bytes)
  if (bytes <= board_guests_image_bytes_max) return
  const message = `Guests add at most ${board_guests_image_bytes_max} bytes of images to a board.`
  throw refuse('resource_conflict', { message })
}
