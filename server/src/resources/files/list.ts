import { listOperation } from '../../api/declare/operation.ts'
import { idParameter } from '../../api/declare/parameters.ts'
import { listById } from '../../api/request/page.ts'
import type { FileRow } from '../../db/schema.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { type File, fileNoun, showFile } from './file.ts'
import { urlsOf } from './links.ts'
import { attachedTo } from './shared/attachments.ts'
import { findPreviews } from './shared/contents.ts'

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
    const rows: FileRow[] = []
    const show = (row: FileRow) => {
      rows.push(row)
      return showFile(row)
    }
    const page = await listById<'files'>(context, fileNoun, { where: { workspace: query.workspace }, show })
    const { realm } = context.caller
    const pairs = await attachedTo(
      context.reader,
      realm,
      rows.map(({ id }) => id),
    )
    const previews = await findPreviews(
      context.reader,
      realm,
      rows.map(({ sha256 }) => sha256),
    )
    const shown = new Map(
      rows.map((row) => {
        const urls = urlsOf(signing, row, previews.has(row.sha256), now)
        return [row.id, showFile(row, { attached_to: pairs.get(row.id) ?? [], ...urls })]
      }),
    )
    return { ...page, data: page.data.map((file) => shown.get((file as File).id) ?? file) }
  },
})
