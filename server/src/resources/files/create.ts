import { refuse } from '../../api/declare/errors.ts'
import { type UploadedContent, writeOperation } from '../../api/declare/operation.ts'
import { idParameter, type Parameter, required, textParameter } from '../../api/declare/parameters.ts'
import { titleFault } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import { findReference } from '../../api/request/references.ts'
import { newContentKey } from '../../files/content-store.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { fileCreated } from './events.ts'
import { File, showFile } from './file.ts'
import { urlsOf } from './links.ts'
import { createFile as create, requireRoom } from './shared/create.ts'

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
    const workspace = await findReference(workspaceNoun, { tx, caller }, query.workspace, 'workspace')
    await requireRoom(tx, caller.realm, upload.content.bytes, organization_bytes_max)
    const file = { workspace: workspace.id, name: query.name, creator: caller.owner }
    const { row, hasPreview } = await create({ tx, caller, now, emit }, file, upload)
    return showFile(row, { attached_to: [], ...urlsOf({ sealer, publicUrl }, row, hasPreview, now) })
  },
})
