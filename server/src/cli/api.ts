import { command } from './command.ts'

/** Calls any operation of the catalogue over HTTP; its flags are those that the operation declares. */
export const api = command({
  name: 'api',
  group: 'Using the API',
  summary: 'Call an operation of the API: atrium api tasks.list --help',
  words: {
    shows: '<operation>',
    async run(words) {
      const { runApi } = await import('./api/api.ts')
      return await runApi(words)
    },
  },
  examples: [],
  async run() {
    return null
  },
})
