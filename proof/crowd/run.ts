/**
 * Runs a crowd in a network namespace, in which this process was started. Socket buffers are small there, so that stalled
 * readers show early. Takes the plans as JSON; prints violations and the outcome as lines of JSON.
 */
import { writeFileSync } from 'node:fs'
import { type StreamPlan, tryStreams } from './streams.ts'
import { tryWebhooks, type WebhookPlan } from './webhooks.ts'

export interface Plans {
  readonly streams: StreamPlan | null
  readonly webhooks: WebhookPlan | null
}

const { streams, webhooks } = JSON.parse(process.argv[2] ?? '{}') as Plans
for (const name of ['tcp_wmem', 'tcp_rmem']) writeFileSync(`/proc/sys/net/ipv4/${name}`, '4096 16384 65536')
writeFileSync('/proc/sys/net/ipv4/ip_local_port_range', '10000 65000')

const print = (line: object): void => console.log(JSON.stringify(line))
const violated = (text: string): void => print({ violated: text })
const say = (text: string): void => print({ said: text })
const ofStreams = streams === null ? null : await tryStreams(streams, violated, say)
const ofWebhooks = webhooks === null ? null : await tryWebhooks(webhooks, violated, say)
print({ outcome: { streams: ofStreams, webhooks: ofWebhooks } })
process.exit()
