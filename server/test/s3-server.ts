/** A server of the S3 protocol that keeps objects in a folder and checks the signatures of requests. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import S3rver from '@20minutes/s3rver'

export interface S3Server {
  readonly port: number
  /** The environment of an installation that keeps its files there. */
  readonly environment: Readonly<Record<string, string>>
  /** Ends the server; its objects stay. */
  close(): Promise<void>
}

/** The key pair that the server knows. */
const pair = 'S3RVER'
const bucket = 'atrium-files'

/** Starts a server over the objects in a folder. `port` 0 picks a free one. */
export async function startS3(folder: string, port = 0): Promise<S3Server> {
  const settings = { directory: folder, silent: true }
  const strict = new S3rver({ ...settings, configureBuckets: [{ name: bucket, configs: [] }] })
  await strict.configureBuckets()
  // It computes another signature for the path `/bucket/` than AWS does, which only lists have.
  const lists = new S3rver({ ...settings, allowMismatchedSignatures: true }).callback()
  const objects = strict.callback()
  const server = createServer((request, response) => {
    const isList = /^\/[^/?]+\/?(\?|$)/.test(request.url ?? '')
    void (isList ? lists : objects)(request, response)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const bound = (server.address() as AddressInfo).port
  const url = `s3://${bucket}/one/two?endpoint=${encodeURIComponent(`http://127.0.0.1:${bound}`)}`
  return {
    port: bound,
    environment: { ATRIUM_FILES_URL: url, ATRIUM_FILES_ACCESS_KEY: pair, ATRIUM_FILES_SECRET_KEY: pair },
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
