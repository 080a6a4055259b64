/** The rows of boards, their members, and their published items. */
import type { ResourceRow } from './rows.ts'

/** `snapshot_revision` is 0 before the first snapshot. */
export interface BoardRow extends ResourceRow {
  name: string
  description: string | null
  owner: string
  status: string
  archived_at: number | null
  legacy_room_id: string | null
  member_count: number
  item_count: number
  snapshot_revision: number
  snapshot_published_at: number | null
}

export interface BoardMemberRow extends ResourceRow {
  board: string
  user: string
  role: string
}

/** A published revision of a board's items; `superseded_at` is when the next one replaced it. */
export interface BoardSnapshotRow {
  realm: number
  board: string
  revision: number
  published_at: number
  superseded_at: number | null
}

/** The item of an element of a board's source, permanently: an element that reappears is the same item as before. */
export interface BoardElementRow {
  realm: number
  board: string
  element: string
  item: string
  created: number
}

/** The state of an item from revision `since_revision` until before `until_revision`; null: still valid. */
export interface BoardItemRow {
  realm: number
  board: string
  id: string
  since_revision: number
  until_revision: number | null
  superseded_at: number | null
  created: number
  updated: number
  /** Its position in the drawing order, from 0. */
  place: number
  /** The SHA-256 of the asset that it shows. */
  asset: string | null
  content: string
}

/** An image's bytes in base64, once per realm. `offered_at`: when an import last sent them. */
export interface BoardAssetRow {
  realm: number
  sha256: string
  media_type: string
  size_bytes: number
  offered_at: number
  bytes: string
}
