/** Limits of boards that people draw on. */
const KiB = 1024
const MiB = 1024 * KiB
const second_ms = 1000
const minute_ms = 60 * second_ms

export const scene_limits = {
  /** Elements of a board, deleted ones included; those that show may be `board_elements_max`. */
  scene_elements_max: 10_000,
  /** All elements as JSON. */
  scene_bytes_max: 10 * MiB,
  /** One element as JSON. */
  element_bytes_max: 256 * KiB,
  element_version_max: 1e9,
  element_index_chars_max: 200,
  /** Elements of one change. */
  change_elements_max: 5_000,
  /** A snapshot is published when a board has been at rest for this time, … */
  publish_rest_ms: 5 * second_ms,
  /** … or when its first unpublished change is this old. */
  publish_wait_ms: 30 * second_ms,
  /** Operations that the folded elements contain are kept for clients that return after a lost connection. */
  operations_kept_ms: 60 * minute_ms,
  /** A deleted element is kept for clients that return with an older state of it. */
  deleted_kept_ms: 24 * 60 * minute_ms,
  /** The history keeps one version without a name of each such interval. */
  version_interval_ms: 10 * minute_ms,
  versions_max: 200,
  version_name_chars_max: 200,
  /** Images of a board. */
  images_max: 500,
  /** Items of one request. */
  request_items_max: 500,
} as const
