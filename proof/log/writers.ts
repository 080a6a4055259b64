/** Clients that write to a log, each its own objects, and record when; and a slow command beside the servers. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { commitSystemChange } from '../../server/src/api/write/system-change.ts'
import { newId } from '../../server/src/lib/ids.ts'
import type { OpenServices } from '../../server/src/main.ts'
import { requireRealms } from '../../server/src/resources/organizations/shared/queries.ts'
import { teamCreated } from '../../server/src/resources/teams/events.ts'
import { showTeam } from '../../server/src/resources/teams/team.ts'
import { call, type Reply } from '../../server/test/call.ts'
import { callUntilFinal } from '../call-until-final.ts'
import type { Dice } from '../dice.ts'
import type { Log } from './log.ts'

/** One request, with its moments on a logical clock. */
export interface Sent {
  readonly key: string
  readonly began: number
  readonly ended: number
  readonly status: number
}

let moment = 0

export class LogWriter {
  readonly sent: Sent[] = []
  private readonly log: Log
  private readonly dice: Dice
  private readonly url: () => string
  private readonly tasks: string[] = []
  private workspace = ''

  constructor(log: Log, dice: Dice, url: () => string) {
    this.log = log
    this.dice = dice
    this.url = url
  }

  /** Sends one write, which emits one event, several, or none if refused or rolled back. */
  async write(): Promise<void> {
    if (this.workspace === '') {
      this.workspace = (await this.send('POST', '/v1/workspaces', { title: 'Logged' })).body.id
    }
    const { dice, workspace, tasks } = this
    const task = tasks.at(-1)
    const title = `at ${moment}`
    const kind = dice.pick(['create', 'batch', 'change', 'change', 'comment', 'delete', 'refused', 'rehearsed'])
    if (task === undefined || kind === 'create') {
      tasks.push((await this.send('POST', '/v1/tasks', { workspace, title })).body.id)
    } else if (kind === 'batch') {
      const data = Array.from({ length: dice.int(2, 12) }, (_, i) => ({ title: `${title} ${i}` }))
      const reply = await this.send('POST', '/v1/tasks/batch', { workspace, data })
      tasks.push(...reply.body.data.map(({ id }: { id: string }) => id))
    } else if (kind === 'comment') await this.send('POST', `/v1/tasks/${task}/comments`, { workspace, body: title })
    else if (kind === 'change') await this.send('PATCH', `/v1/tasks/${task}`, { title, priority: 'high' })
    else if (kind === 'delete') await this.send('DELETE', `/v1/tasks/${tasks.pop()}`, {})
    else if (kind === 'refused') await this.send('PATCH', `/v1/tasks/${task}`, { title }, { 'if-match': '"1000000"' })
    else await this.send('PATCH', `/v1/tasks/${task}`, { title }, { prefer: 'dry-run' })
  }

  private async send(method: string, path: string, body: object, headers: Record<string, string> = {}): Promise<Reply> {
    const idempotencyKey = randomUUID()
    const began = ++moment
    const options = { key: this.log.key, body, idempotencyKey, headers }
    const reply = await callUntilFinal(() => call(this.url(), method, path, options))
    const isRefused = headers['if-match'] !== undefined && reply.status === 409
    if (reply.status !== 200 && !isRefused) throw new Error(`${method} ${path}: ${reply.text}`)
    const status = headers.prefer === undefined ? reply.status : 0
    this.sent.push({ key: idempotencyKey, began, ended: ++moment, status })
    return reply
  }
}

/** Adds a team, and so an event to each log of the organization, in a transaction that stays open for `open_ms`. */
export async function addTeamSlowly(services: OpenServices, organization: string, open_ms: number): Promise<void> {
  const realms = await requireRealms(services.store, organization)
  await commitSystemChange(services, { organization, realms, action: 'teams.create' }, async ({ tx, now, emit }) => {
    const row = {
      organization,
      id: newId('team', now),
      created: now,
      updated: now,
      name: 'A team',
      description: null,
      external_id: null,
      deleted_at: null,
    }
    tx.insert('teams', row)
    await sleep(open_ms)
    emit(teamCreated, showTeam(row))
  })
}
