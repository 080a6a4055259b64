/**
 * Attachments of an import that lie in a folder: found by their names, uploaded, and attached to their tasks. Nothing of it is in the
 * journal: the files that a task has are compared by name and hash, so a second run, also of another import, attaches nothing twice.
 */
import { createHash, hash } from 'node:crypto'
import { createReadStream, lstatSync, openAsBlob, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { limits } from '../../api/limits.ts'
import { faultOf } from '../../imports/api.ts'
import type { DraftAttachment } from '../../imports/attachments.ts'
import type { Draft, Note, Source } from '../../imports/draft.ts'
import { failureOf } from '../client/exit-codes.ts'
import type { Client } from '../client/http.ts'
import { Failure } from '../command.ts'

/** A task that others change meanwhile is read again this often. */
const attempts_max = 5

/** The files of a folder that belong to attachments of a source. */
export class AttachmentFolder {
  readonly path: string
  /** Names that more than one attachment has: the name alone does not say which of them a file is. */
  private readonly ambiguous = new Set<string>()
  found = 0
  missing = 0

  private constructor(path: string) {
    this.path = path
  }

  /** Goes through the source once. */
  static async open(path: string, source: Source): Promise<AttachmentFolder> {
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
      throw new Failure(`--attachments ${path} is not a folder. Name the folder that holds the files of the export.`)
    const folder = new AttachmentFolder(path)
    const names = new Set<string>()
    const all: { key: string; attachment: DraftAttachment }[] = []
    for await (const { draft } of source.entries()) {
      for (const attachment of draft?.attachments ?? []) {
        if (names.has(attachment.name)) folder.ambiguous.add(attachment.name)
        names.add(attachment.name)
        all.push({ key: draft?.key ?? '', attachment })
      }
    }
    for (const { key, attachment } of all) {
      if (folder.find(key, attachment) === null) folder.missing++
      else folder.found++
    }
    return folder
  }

  /** The file of an attachment; null if the folder has none. */
  find(key: string, { name, id }: DraftAttachment): string | null {
    const places = [[key, name], [id, name], [id], ...(this.ambiguous.has(name) ? [] : [[name]])]
    for (const place of places) {
      // The export was written by others: its names must not lead out of the folder.
      if (!place.every(isPlainName)) continue
      const path = join(this.path, ...place)
      if (isFile(path)) return path
    }
    return null
  }
}

/** A link is no file: it may lead out of the folder. */
function isFile(path: string): boolean {
  try {
    return lstatSync(path).isFile()
  } catch {
    return false
  }
}

function isPlainName(name: string): boolean {
  return (
    name !== '' &&
    name !== '.' &&
    name !== '..' &&
    !name.includes('\0') &&
    basename(name) === name &&
    !name.includes('\\')
  )
}

interface Attaching {
  readonly client: Client
  readonly folder: AttachmentFolder
  readonly workspace: string
  readonly report: (note: Note) => void
}

interface Known {
  readonly revision: number
  readonly attachments: readonly string[]
}

/** Attaches the files of drafts to their tasks. */
export class Attacher {
  /** Files that were attached now. */
  files = 0
  private readonly work: Attaching

  constructor(work: Attaching) {
    this.work = work
  }

  async attach(draft: Draft, task: string): Promise<void> {
    const { folder, client } = this.work
    const there = await this.filesOf(task)
    if (there === null) return
    const added: string[] = []
    for (const attachment of draft.attachments ?? []) {
      const path = folder.find(draft.key, attachment)
      if (path === null) {
        this.leaveOut(draft, `"${attachment.name}" is not in ${folder.path}. The description has its link.`)
        continue
      }
      const sha256 = await hashOf(path)
      if (there.has(`${sha256} ${attachment.name}`)) continue

      if (there.size + added.length >= limits.attachments_max) {
        this.leaveOut(draft, `"${attachment.name}": a task has at most ${limits.attachments_max} attachments.`)
        continue
      }
      const id = await this.upload(draft, task, { path, sha256, name: attachment.name })
      if (id !== null) added.push(id)
    }
    if (added.length === 0) return
    await this.append(client, task, added)
    this.files += added.length
  }

  /** The files of a task, as hash and name; null if the task is not there any longer. */
  private async filesOf(task: string): Promise<Set<string> | null> {
    const known = await this.taskOf(task)
    if (known === null) return null
    const found = new Set<string>()
    for (const id of known.attachments) {
      const reply = await this.work.client.send({ method: 'GET', path: `/v1/files/${id}` })
      if (reply.status !== 200) continue
      const { sha256, name } = reply.body as { sha256: string; name: string }
      found.add(`${sha256} ${name}`)
    }
    return found
  }

  private async taskOf(task: string): Promise<Known | null> {
    const reply = await this.work.client.send({ method: 'GET', path: `/v1/tasks/${task}` })
    if (reply.status === 404 || reply.status === 410) return null
    if (reply.status !== 200) throw failureOf(reply)
    return reply.body as Known
  }

  /** The key is made of task, name and content: a request whose answer was lost has one file. */
  private async upload(
    draft: Draft,
    task: string,
    { path, sha256, name }: { path: string; sha256: string; name: string },
  ): Promise<string | null> {
    const { client, workspace } = this.work
    const query = new URLSearchParams({ workspace, name })
    const reply = await client.send({
      method: 'POST',
      path: `/v1/files?${query}`,
      headers: {
        'content-type': 'application/octet-stream',
        'idempotency-key': `import-file-${hash('sha256', [task, name, sha256].join('\n')).slice(0, 40)}`,
      },
      body: await openAsBlob(path),
    })
    if (reply.status === 200) return (reply.body as { id: string }).id
    if (reply.status !== 400 && reply.status !== 409) throw failureOf(reply)
    this.leaveOut(draft, `"${name}" was refused: ${faultOf(reply)?.message ?? reply.status}`)
    return null
  }

  /** Appends to the list that the task has now. */
  private async append(client: Client, task: string, added: readonly string[]): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const known = await this.taskOf(task)
      if (known === null) return
      const attachments = [...new Set([...known.attachments, ...added])]
      const headers = {
        'if-match': `"${known.revision}"`,
        'idempotency-key': `import-attach-${hash('sha256', [task, known.revision, ...attachments].join('\n')).slice(0, 40)}`,
      }
      const body = JSON.stringify({ attachments })
      const reply = await client.send({ method: 'PATCH', path: `/v1/tasks/${task}`, headers, body })
      if (reply.status === 200) return
      if (reply.status !== 409 || attempt === attempts_max) throw failureOf(reply)
    }
  }

  private leaveOut({ line, key }: Draft, reason: string): void {
    this.work.report({ line, column: 'attachments', key, action: 'left_out', reason })
  }
}

async function hashOf(path: string): Promise<string> {
  const digest = createHash('sha256')
  for await (const chunk of createReadStream(path)) digest.update(chunk as Buffer)
  return digest.digest('hex')
}
