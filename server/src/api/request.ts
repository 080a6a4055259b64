/** A request and its answer as the rules see them: nothing here knows the HTTP library. */
export interface Request {
  /** Made by the server for every request (decisions §5). */
  readonly id: string
  readonly method: string
  /** The path as sent, without the query. */
  readonly path: string
  /** The query as sent, without the `?`. */
  readonly rawQuery: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Every value of a header that may not be sent twice. */
  headerValues(name: string): string[]
  /** The whole body; refuses one over the limit. */
  body(): Promise<Buffer>
  readonly ip: string
  /** Milliseconds, when the request was taken. */
  readonly receivedAt: number
}

export interface Answer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string | null
  /** Instead of a body: what writes until the connection ends. */
  readonly stream?: OpenStream
}

/** Where a stream writes to; made by the HTTP server. */
export interface StreamSink {
  write(text: string): void
  /** Bytes written and not yet taken by the network. */
  pending(): number
  /** Ends the answer in good order. */
  end(): void
  /** Cuts the connection. */
  destroy(): void
  onClose(listener: () => void): void
}

/** A stream that the rules have admitted. */
export interface OpenStream {
  readonly etag: string
  open(sink: StreamSink): void
}
