/** Bounds of what is rendered and edited; longer or deeper texts are shown as they are. */
export const text_limits = {
  /** The API's limit of a text. */
  chars_max: 65_536,
  /** Nesting of quotes, lists and emphasis. */
  depth_max: 40,
  /** Parts of a rendered text: paragraphs, list items, links, and so on. */
  parts_max: 8000,
  /** Characters of a code block that is highlighted. */
  highlighted_chars_max: 20_000,
  /** Changed words beyond which two versions are shown one after the other. */
  diff_edits_max: 1000,
} as const
