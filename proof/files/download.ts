/** A GET that keeps the path and the bytes as they are. */
import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'

export interface Downloaded {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly bytes: Buffer
}

/** Rejects if the answer ends before its Content-Length. */
export function download(
  server: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Downloaded> {
  const { hostname, port } = new URL(server)
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, headers, agent: false }, (answer) => {
      buffer(answer).then((bytes) => {
        const received = answer.headers as Record<string, string | undefined>
        resolve({ status: answer.statusCode as number, headers: received, bytes })
      }, reject)
    })
    sent.on('error', reject)
    sent.end()
  })
}
