/** Limits of the comments on boards. */
export const board_comment_limits = {
  /** Comments of a board, replies included. */
  board_comments_max: 2000,
  /** Comments of a thread, the first one included. */
  board_thread_comments_max: 100,
} as const
