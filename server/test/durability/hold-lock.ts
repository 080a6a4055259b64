/** Holds the write lock of a SQLite file until its input ends, like a long command beside the server. */
import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'

const database = new DatabaseSync(process.argv[2] as string, { timeout: 5000 })
database.exec('begin immediate')
process.stdout.write('locked\n')
process.stdin.resume()
await once(process.stdin, 'end')
database.exec('rollback')
database.close()
