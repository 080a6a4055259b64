/** Settings that test installations share. They have their own file because `world.ts` loads the whole server. */

export const test_secret_key = Buffer.alloc(32, 7).toString('base64')

/** A server on a free port that logs only errors and does not limit requests. */
export const test_environment = {
  ATRIUM_PORT: '0',
  ATRIUM_LOG_LEVEL: 'error',
  ATRIUM_CREDITS_PER_MINUTE: 'unlimited',
  ATRIUM_CREDITS_PER_DAY: 'unlimited',
  ATRIUM_CREDITS_PER_PLAN_DAY: 'unlimited',
} as const
