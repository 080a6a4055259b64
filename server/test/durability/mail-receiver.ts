/** A receiver of mail in a process of its own, which kills itself at the point of its orders. Prints its port. */
import { readConfig } from '../../src/config.ts'
import { openServices } from '../../src/main.ts'
import { receiveReplies } from '../../src/workers/replies/receive.ts'
import { mortalServices, type Orders } from './mortal.ts'

const { environment, point, times } = JSON.parse(process.argv[2] as string) as Orders
const services = await openServices(readConfig(environment))
const receiver = await receiveReplies(mortalServices(services, point, times), '127.0.0.1', 0)
process.stdout.write(`${receiver.port}\n`)
process.stdin.on('end', async () => {
  await receiver.close()
  await services.close()
})
process.stdin.resume()
