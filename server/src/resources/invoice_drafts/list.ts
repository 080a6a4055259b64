import { listOperation } from '../../api/declare/operation.ts'
import { idParameter } from '../../api/declare/parameters.ts'
import { listById } from '../../api/request/page.ts'
import { projectNoun } from '../projects/project.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { invoiceDraftNoun } from './invoice_draft.ts'

/** Lists invoice drafts, newest first. */
export const listInvoiceDrafts = listOperation({
  id: 'invoice_drafts.list',
  method: 'GET',
  path: '/v1/invoice_drafts',
  summary: 'List invoice drafts',
  scope: 'billing:read',
  credits: 5,
  paging: 'id',
  fields: true,
  lists: invoiceDraftNoun,
  query: {
    workspace: idParameter('Only invoice drafts of this workspace.', workspaceNoun),
    project: idParameter('Only invoice drafts of this project.', projectNoun),
  },
  handle(context) {
    const { workspace, project } = context.query
    return listById(context, invoiceDraftNoun, { where: { workspace, project } })
  },
})
