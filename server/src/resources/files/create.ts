import { refuse } from '../../api/declare/errors.ts'
import { type UploadedContent, writeOperation } from '../../api/declare/operation.ts'
import { idParameter, type Parameter, required, textParameter } from '../../api/declare/parameters.ts'
import { titleFault } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import { findReference } from '../../api/request/references.ts'
import { newContentKey } from '../../files/content-store.ts'
import { sizeOfImage, sniffType } from '../../files/sniff.ts'
import { newId } from '../../lib/ids.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { addBytes, referenceContent, totalBytes } from './contents.ts'
import { fileCreated } from './events.ts'
import { File, showFile } from './file.ts'
import { urlsOf } from './links.ts'

const text = textParameter(limits.file_name_chars_max, 'Name of the file, without folders.')

/** A file's name: a name like others (contract/01#titles-and-names), no path, and nothing that would break a line. */
const nameParameter: Parameter<string> = {
  ...text,
  read(texts, name) {
    const value = text.read(texts, name)
    const fault = titleFault(value)
    if (fault !== null) throw refuse('invalid_query_parameter', { param: name, message: `${name} ${fault}.` })
    if (!/[\p{Cc}/\\]/u.test(value) && !/^\.{1,2}$/.test(value)) return value
    const message = `${name} must be the name of a file: without "/", "\\" and control characters.`
    throw refuse('invalid_query_parameter', { param: name, message })
  },
}

/** What `prepare` leaves for the transaction. */
interface Prepared {
  readonly publicUrl: string
  readonly organization_bytes_max: number
}

/**
 * Uploads a file. The body is the content, of any type, up to the server's limit (100 MiB by default); `Content-Digest` or `Digest`
 * is checked if it is sent. A request with the same Idempotency-Key and the same content gets the first answer. The content is
 * durable before the answer.
 */
export const createFile = writeOperation({
  id: 'files.create',
  method: 'POST',
  path: '/v1/files',
  summary: 'Upload a file',
  scope: 'files:write',
  credits: 10,
  extension: true,
  uploads: true,
  query: {
    workspace: required(idParameter('Workspace of the file.', workspaceNoun)),
    name: required(nameParameter),
  },
  returns: File,
  emits: [fileCreated],
  example: { query: { workspace: '{workspace}', name: 'notes.txt' }, body: 'Agreed on Monday.' },
  afterCommit: ({ wakeUps }) => wakeUps.call('files'),
  async prepare({ upload, caller, services, now }): Promise<Prepared> {
    const { content } = upload as UploadedContent
    const key = newContentKey(caller.realm, content.sha256, now)
    await services.files.keep(key, content)
    ;(upload as UploadedContent).key = key
    const { organization_bytes_max } = services.files.settings
    return { publicUrl: services.settings.publicUrl, organization_bytes_max }
  },
  async handle({ query, caller, tx, now, emit, sealer, prepared, ...context }) {
    const { publicUrl, organization_bytes_max } = prepared as Prepared
    const upload = context.upload as UploadedContent
    const { bytes, sha256, head } = upload.content
    const workspace = await findReference(workspaceNoun, { tx, caller }, query.workspace, 'workspace')
    const total = await totalBytes(tx, caller.realm)
    if (total + bytes > organization_bytes_max) {
      const message = `The files of the organization have ${total} bytes; with this one they would be over the limit of ${organization_bytes_max}.`
      throw refuse('resource_conflict', { message })
    }
    const content_type = sniffType(head)
    const size = sizeOfImage(content_type, head)
    const row = {
      ...{ realm: caller.realm, id: newId('fil', now), created: now, updated: now, revision: 1, deleted_at: null },
      ...{ workspace: workspace.id, name: query.name, content_type, bytes, sha256 },
      ...{ width: size?.width ?? null, height: size?.height ?? null },
      ...{ creator_type: caller.owner.type, creator_id: caller.owner.id },
    }
    const { hasPreview } = await referenceContent(tx, caller.realm, upload, now)
    addBytes(tx, caller.realm, bytes)
    tx.insert('files', row)
    emit(fileCreated, showFile(row))
    return showFile(row, { attached_to: [], ...urlsOf({ sealer, publicUrl }, row, hasPreview, now) })
  },
})
