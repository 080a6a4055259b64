/** One page; the pipeline puts it into the list envelope. */
export interface Page {
  readonly data: readonly object[]
  readonly has_more: boolean
  readonly next_cursor: string | null
  /** Further fields of the envelope, as the operation declares them. */
  readonly more?: Readonly<Record<string, unknown>>
}

/** The parameters of every list. */
export interface PageQuery {
  readonly limit?: number | undefined
  readonly starting_after?: string | undefined
  readonly ending_before?: string | undefined
  readonly cursor?: string | undefined
  /** Applied by the pipeline. */
  readonly fields?: readonly string[] | undefined
}
