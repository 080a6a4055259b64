/**
 * Connections in PostgreSQL's replication protocol, through `pg`, which leaves its messages out of its types. Such a connection
 * also runs simple statements. It is opened for a database (`replication=database`): then it needs the role attribute REPLICATION
 * and no further line in pg_hba.conf.
 */
import pg from 'pg'
import { db_limits } from '../../limits.ts'
import { DatabaseMisconfigured, StoreUnavailable } from '../../store.ts'
import { closeClient } from '../client.ts'

export type Row = Readonly<Record<string, string | null>>

interface Socket {
  pause(): void
  resume(): void
  destroy(): void
}

interface Protocol {
  readonly stream: Socket
  once(event: 'replicationStart', listener: () => void): void
  /** Sends a message of the copy protocol. */
  sendCopyFromChunk(bytes: Buffer): void
}

/** The server has removed the part of its log that is asked for. */
export class LogRemoved extends Error {}

/** What `pg` calls on the query that runs, by these names. */
interface CopyMethods {
  handleCopyData(message: { readonly chunk: Buffer }): void
}

// The types of `pg` leave out the constructor.
const Query = pg.Query as unknown as new (
  text: string,
  callback: (error: Error | null, result: pg.QueryResult | pg.QueryResult[]) => void,
) => object

class CopyQuery extends Query implements CopyMethods {
  private readonly take: (chunk: Buffer) => void

  constructor(text: string, take: (chunk: Buffer) => void, ended: ConstructorParameters<typeof Query>[1]) {
    super(text, ended)
    this.take = take
  }

  /** `pg` uses the bytes behind a message again. */
  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    this.take(Buffer.from(chunk))
  }
}

export class ReplicationConnection {
  private readonly client: pg.Client
  private isClosed = false

  private constructor(client: pg.Client) {
    this.client = client
  }

  /** Rejects with DatabaseMisconfigured if the server refuses replication, and with StoreUnavailable if it does not answer. */
  static async open(url: string): Promise<ReplicationConnection> {
    // `replication` is a parameter of the first message, which the types leave out.
    const client = new pg.Client({
      connectionString: url,
      application_name: 'atrium backup',
      connectionTimeoutMillis: db_limits.database_wait_ms,
      keepAlive: true,
      keepAliveInitialDelayMillis: db_limits.database_probe_ms,
      replication: 'database',
    } as pg.ClientConfig)
    // The code that waits gets the error.
    client.on('error', () => {})
    try {
      await client.connect()
      return new ReplicationConnection(client)
    } catch (error) {
      closeClient(client).catch(() => {})
      throw refusal(error)
    }
  }

  /** The rows of a command of the protocol, or of a statement, as text. */
  async rows(text: string): Promise<Row[]> {
    try {
      // Without types, every value stays as the server writes it.
      const types = { getTypeParser: () => String }
      return (await this.client.query({ text, types })).rows
    } catch (error) {
      throw refusal(error)
    }
  }

  /** Begins a command that copies. `take` gets each message; the result resolves when the server ends the copy. */
  copy(text: string, take: (chunk: Buffer) => void): Promise<pg.QueryResult[]> {
    return new Promise((resolve, reject) => {
      const query = new CopyQuery(text, take, (error, result) => {
        if (error) reject(refusal(error))
        else resolve([result].flat())
      })
      // `pg` calls the methods of a submittable, which this class has.
      this.client.query(query as unknown as pg.Submittable)
    })
  }

  /** Resolves when a copy in both directions has begun. */
  started(): Promise<void> {
    return new Promise((resolve) => {
      this.protocol.once('replicationStart', resolve)
    })
  }

  send(bytes: Buffer): void {
    if (!this.isClosed) this.protocol.sendCopyFromChunk(bytes)
  }

  pause(): void {
    this.protocol.stream.pause()
  }

  resume(): void {
    this.protocol.stream.resume()
  }

  /** Ends the connection at once, also in the middle of a copy. */
  close(): void {
    this.isClosed = true
    this.protocol.stream.destroy()
  }

  private get protocol(): Protocol {
    return (this.client as pg.Client & { readonly connection: Protocol }).connection
  }
}

/** wrong password or role, no such database, insufficient privilege, a setting that excludes it, an unknown command. */
const settled = /^(28|3D|42|0A)/
const setting_lacks = '55000'
const in_use = '55006'
const file_missing = '58P01'

function refusal(error: unknown): Error {
  const code = error instanceof pg.DatabaseError ? (error.code ?? '') : ''
  const { message } = error as Error
  if (code === file_missing) return new LogRemoved(message)
  if (code === '42501') return new DatabaseMisconfigured(missing_right)
  if (settled.test(code) || (code === setting_lacks && !/slot/.test(message)))
    return new DatabaseMisconfigured(`PostgreSQL refuses to be followed: ${message}.`)
  const reason = code === in_use ? `another process follows this database: ${message}` : message
  return new StoreUnavailable(`the log of the database cannot be read: ${reason}`, error)
}

const missing_right =
  'PostgreSQL refuses to be followed: the role of ATRIUM_DATABASE_URL (or ATRIUM_DATABASE_DIRECT_URL) lacks the attribute REPLICATION. Run ALTER ROLE … REPLICATION as a superuser; a managed service that does not offer it cannot be followed.'
