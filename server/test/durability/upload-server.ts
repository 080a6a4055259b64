/** A server that kills itself when an upload passes the given point. Prints its URL. */
import { readConfig } from '../../src/config.ts'
import { type OpenServices, startServer } from '../../src/main.ts'

/** While the body arrives; when it is on disk; before and after it has its key; after the commit and before the answer. */
export type UploadPoint = 'receiving' | 'received' | 'keeping' | 'kept' | 'committed'

const { environment, point } = JSON.parse(process.argv[2] as string) as {
  environment: Readonly<Record<string, string>>
  point: UploadPoint
}

/** Does not return from the point at which the process dies. */
function pass(here: UploadPoint): void {
  if (here === point) process.kill(process.pid, 'SIGKILL')
}

function plant(services: OpenServices): void {
  const { uploads, store } = services.files
  const [begin, receive, put] = [uploads.begin.bind(uploads), uploads.receive.bind(uploads), store.put.bind(store)]
  uploads.begin = async (algorithms) => {
    const writer = await begin(algorithms)
    const write = writer.write.bind(writer)
    writer.write = async (chunk) => {
      await write(chunk)
      pass('receiving')
    }
    return writer
  }
  uploads.receive = async (chunks, algorithms) => {
    const upload = await receive(chunks, algorithms)
    pass('received')
    return upload
  }
  store.put = async (key, file) => {
    pass('keeping')
    await put(key, file)
    pass('kept')
  }
  const { committed } = services
  Object.assign(services, {
    committed(realm: number) {
      pass('committed')
      committed(realm)
    },
  })
}

const server = await startServer(readConfig(environment), { prepare: async (services) => plant(services) })
process.stdout.write(`${server.url}\n`)
