/** The key that installations of the tests seal with: apart from the world, which loads the whole server. */
export const test_secret_key = Buffer.alloc(32, 7).toString('base64')
