/** Limits of links for guests. */
import { day_ms, hour_ms, MiB, minute_ms } from '../../lib/units.ts'

export const board_link_limits = {
  /** Links of a board, those that have ended included. */
  board_links_max: 100,
  /** Longest time from the creation of a link to its end, and the time without `expires_at`. */
  board_link_ms_max: 90 * day_ms,
  board_link_ms_default: 7 * day_ms,
  /** Lifetime of a guest's session; the page then begins another one by itself. */
  board_guest_ms: 12 * hour_ms,
  board_guest_name_chars_max: 60,
  /** Sessions that can begin by one link within `board_guest_starts_ms`; one more is refused. */
  board_guest_starts_max: 60,
  board_guest_starts_ms: 15 * minute_ms,
  /** Characters of a guest's comment. */
  board_guest_comment_chars_max: 4000,
  /** Comments that guests write on a board within `board_guest_comments_ms`, one guest and all of them. */
  board_guest_comments_max: 20,
  board_guests_comments_max: 100,
  board_guest_comments_ms: 15 * minute_ms,
  /** Revisions of a guest's comment that its guest makes; the next change is refused. */
  board_guest_comment_revisions_max: 50,
  /** Comments of guests that a board keeps, so that members have room for theirs. */
  board_guests_comments_kept_max: 500,
  /** Comments of one answer. */
  board_guest_comments_page: 100,
  /** Images that guests add to a board, and their bytes together. */
  board_guests_images_max: 100,
  board_guests_image_bytes_max: 50 * MiB,
} as const
