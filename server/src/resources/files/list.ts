import { listOperation } from '../../api/declare/operation.ts'
import { idParameter } from '../../api/declare/parameters.ts'
import { listById } from '../../api/request/page.ts'
import type { FileRow } from '../../db/schema.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { type File, fileNoun, showFile } from './file.ts'
import { contentUrl } from './links.ts'
import { attachedTo } from './shared/attachments.ts'

/** Lists files, newest first, each with a new URL of its content. */
export const listFiles = listOperation({
  id: 'files.list',
  method: 'GET',
  path: '/v1/files',
  summary: 'List files',
  scope: 'files:read',
  credits: 5,
  extension: true,
  paging: 'id',
  fields: true,
  uncached: true,
  query: { workspace: idParameter('Only files of this workspace.', workspaceNoun) },
  lists: fileNoun,
  async handle(context) {
    const { services, now, query } = context
    const signing = { sealer: services.sealer, publicUrl: services.settings.publicUrl }
    const show = (row: FileRow) => showFile(row, { attached_to: [], url: contentUrl(signing, row, now) })
    const page = await listById<'files'>(context, fileNoun, { where: { workspace: query.workspace }, show })
    const files = page.data as readonly File[]
    const ids = files.map(({ id }) => id)
    const pairs = await attachedTo(context.reader, context.caller.realm, ids)
    return { ...page, data: files.map((file) => ({ ...file, attached_to: [...(pairs.get(file.id) ?? [])] })) }
  },
})
