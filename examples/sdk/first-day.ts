import { once } from 'node:events'
import { createServer } from 'node:http'
import { Atrium, verifyWebhook } from '@atrium/sdk'

const { ATRIUM_KEY = '', ATRIUM_URL, PORT = '4020' } = process.env
const atrium = new Atrium({ apiKey: ATRIUM_KEY, baseUrl: ATRIUM_URL })
const { id: workspace } = await atrium.workspaces.create({ title: 'First day' })
const { id: project } = await atrium.projects.create({ workspace, name: 'Onboarding' })
const tasks = Array.from({ length: 250 }, (_, i) => ({ title: `Task ${i + 1}`, project }))
for (let i = 0; i < 250; i += 100) await atrium.tasks.batch({ workspace, data: tasks.slice(i, i + 100) })
const ids = new Set()
for await (const { id } of atrium.tasks.list({ project })) ids.add(id)
console.log(`Read ${ids.size} tasks.`)

createServer(async (request, response) => {
  const { 'service-event-type': type } = request.headers
  const body = Buffer.concat(await request.toArray())
  if (type !== 'platform.webhook_endpoint.verify') await verifyWebhook(body, request.headers, hook.signing_secret)
  response.writeHead(204).end()
  console.log(`Webhook: ${type}`)
}).listen(Number(PORT), '127.0.0.1')
const url = `http://127.0.0.1:${PORT}`
const hook = await atrium.webhookEndpoints.create({ url, event_types: ['workflow.project.*'] })
const stream = await atrium.events.stream({ types: ['workflow.project.updated'] }).open()
console.log('Restart Atrium, then press Enter.')
await once(process.stdin, 'data')
await atrium.projects.update(project, { name: 'Onboarded' })
for await (const { data } of stream) if ('name' in data.object && data.object.name === 'Onboarded') break
console.log('Streamed: Onboarded')
