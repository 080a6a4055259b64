/** The rows of boards, their members, and their published items. */
import type { ResourceRow } from './row.ts'

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
  project: string | null
}

export interface BoardMemberRow extends ResourceRow {
  board: string
  user: string
  role: string
}

/** A comment at a place of a board, or a reply in its thread. `mentions` is a JSON array of user and team ids. */
export interface BoardCommentRow extends ResourceRow {
  board: string
  /** The first comment of the thread; of a first comment its own id. */
  thread: string
  x: number | null
  y: number | null
  element: string | null
  body: string
  mentions: string
  author_type: string
  author_id: string
  /** The name of the guest of a link who wrote it; null of other authors. */
  guest: string | null
  /** The guest of a link, and the key that the guest's page gave the comment; null of other authors. */
  guest_key: string | null
  edited_at: number | null
  resolved_at: number | null
  resolved_by: string | null
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
  /** Empty if the bytes are a content of files (`file_contents`), else base64. */
  bytes: string
}

/** The elements of a board after operation `folded`, as a JSON array with the deleted ones. */
export interface BoardSceneRow {
  realm: number
  board: string
  /** The last operation. */
  head: number
  changed_at: number
  /** When the first change happened that no published snapshot shows. */
  pending_since: number | null
  folded: number
  elements: string
}

/** A link that opens a board to guests without an account. */
export interface BoardLinkRow extends ResourceRow {
  organization: string
  mode: string
  board: string
  name: string
  role: string
  /** Of its secret. */
  digest: string
  expires_at: number
  /** `user`, or the kind of the credential of the organization that made it. */
  creator_type: string
  creator_id: string
  /** When a guest last came by it. */
  last_used_at: number | null
}

/** A guest of a link, from giving a name to the end of the session. */
export interface BoardGuestRow {
  realm: number
  id: string
  created: number
  expires_at: number
  organization: string
  link: string
  name: string
  /** Of the session's token. */
  digest: string
}

/** The elements that one change has replaced, as a JSON array. */
export interface BoardOperationRow {
  realm: number
  board: string
  sequence: number
  created: number
  /** Id of a user, or of a guest of a link. */
  author: string
  elements: string
}

/** A state of a board in its history. */
export interface BoardVersionRow {
  realm: number
  board: string
  sequence: number
  created: number
  /** Given by a person; null for a version that the server has kept by itself. */
  name: string | null
  /** Who gave the name, or who drew last: the id of a user, or of a guest of a link. */
  author: string | null
  /** The name of the guest who drew last; null of other authors. */
  guest: string | null
  item_count: number
  elements: string
}

/** The image of a file id, which elements of the board name. */
export interface BoardImageRow {
  realm: number
  board: string
  file: string
  sha256: string
  created: number
  /** Id of the guest of a link who added it; null of other people. */
  guest: string | null
}
