/** The columns of every resource row of a realm. `deleted_at` marks a tombstone, which is kept. */
export interface ResourceRow {
  realm: number
  id: string
  created: number
  updated: number
  revision: number
  deleted_at: number | null
}
