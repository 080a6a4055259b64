/** The package has no types. */
declare module '@20minutes/s3rver' {
  import type { IncomingMessage, ServerResponse } from 'node:http'
  // biome-ignore lint/style/noDefaultExport: it is the package's only export
  export default class S3rver {
    constructor(options: {
      readonly directory: string
      readonly silent: boolean
      readonly allowMismatchedSignatures?: boolean
      readonly configureBuckets?: readonly { readonly name: string; readonly configs: readonly string[] }[]
    })
    /** Creates the buckets. */
    configureBuckets(): Promise<unknown>
    callback(): (request: IncomingMessage, response: ServerResponse) => unknown
  }
}
