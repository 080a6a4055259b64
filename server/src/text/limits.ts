/** The limits of what is read in texts. */
export const text_limits = {
  /** People and teams that one text mentions; further ones are ignored. */
  mentions_max: 100,
  /** Characters of the name in a mention. */
  mention_name_chars_max: 200,
} as const
