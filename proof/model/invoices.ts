/** Invoice drafts: their amounts add up, and a final draft is read-only. */
import { requireReal, requireSum, wrong } from './billing.ts'
import { amount, currency, id, isCurrency, oneOf } from './forms.ts'
import { shows } from './lists.ts'
import type { Fields } from './names.ts'
import { operation } from './operation.ts'
import { badBody, conflict } from './refused.ts'
import { in_project, in_workspace, isOfProject, listOf, note, remove, show } from './things.ts'
import { given } from './work.ts'

const amounts = { net_amount_minor: amount, tax_amount_minor: amount, gross_amount_minor: amount }

const invoice_status = oneOf('draft', 'ready', 'finalized', 'void')

const createInvoice = operation('invoice_drafts.create', {
  body: { workspace: id('workspace'), project: id('project'), currency, ...amounts, status: invoice_status },
  needs: ['workspace', 'project', 'currency', ...Object.keys(amounts)],
  shape: (body, n) => (n.chance(10) ? undefined : makeInvoice(body)),
  check(body) {
    requireReal(body)
    if (body.status === 'finalized' || body.status === 'void') throw badBody('status')
  },
  weight: 3,
  run(context) {
    const { model, realm, body } = context
    const workspace = model.workspaceOf(realm, body.workspace as string).id
    const project = model.usableProject(realm, body.project as string, workspace).id
    const { currency: money, net_amount_minor, tax_amount_minor, gross_amount_minor } = body
    const fields = {
      workspace,
      project,
      status: body.status ?? 'draft',
      currency: money,
      net_amount_minor,
      tax_amount_minor,
      gross_amount_minor,
    }
    const state = { finalized_at: null, voided_at: null, revision: 1 }
    const made = model.add(realm, 'invoice_draft', { ...model.head('invoice_draft'), ...(fields as Fields), ...state })
    model.recordEvent('workflow.invoice_draft.created', made)
    note(context, made)
    return { ...made.shown }
  },
})

function makeInvoice(body: Fields): void {
  const net = Math.min(Number(body.net_amount_minor ?? 0), 1e12)
  const tax = Math.min(Number(body.tax_amount_minor ?? 0), 1e12)
  Object.assign(body, { net_amount_minor: net, tax_amount_minor: tax, gross_amount_minor: net + tax })
  if (body.status !== undefined && body.status !== 'ready') body.status = 'draft'
}

const transitions: Readonly<Record<string, readonly string[]>> = {
  draft: ['ready'],
  ready: ['draft', 'finalized'],
  finalized: ['void'],
  void: [],
}

const updateInvoice = operation('invoice_drafts.update', {
  target: 'invoice_draft',
  body: { workspace: id('workspace'), status: invoice_status, currency, ...amounts },
  isGuarded: true,
  weight: 4,
  run(context) {
    const { model, target: draft, body, now } = context
    const before = draft.shown
    if (body.currency !== undefined && !isCurrency(body.currency)) throw badBody('currency')
    const status = (body.status ?? before.status) as string
    if (status !== before.status && !transitions[before.status as string]?.includes(status)) throw conflict('status')
    const fields = given(body, 'status', 'currency', ...wrong)
    const isFrozen = before.status === 'finalized' || before.status === 'void'
    const differs = ['currency', ...wrong].some((name) => name in body && body[name] !== before[name])
    if (isFrozen && differs) throw conflict()
    requireSum({ ...before, ...fields })
    if (status !== before.status && status === 'finalized') fields.finalized_at = now
    if (status !== before.status && status === 'void') fields.voided_at = now
    model.change(draft, fields, 'workflow.invoice_draft.updated')
    note(context, draft)
    return { ...draft.shown }
  },
})

const deleteInvoice = operation('invoice_drafts.delete', {
  target: 'invoice_draft',
  query: in_workspace,
  body: in_workspace,
  isGuarded: true,
  run(context) {
    if (context.target.shown.status === 'finalized') throw conflict()
    return remove(context, 'workflow.invoice_draft.deleted')
  },
})

export const invoices = [
  createInvoice,
  updateInvoice,
  deleteInvoice,
  operation('invoice_drafts.list', {
    query: in_project,
    run: (context) => listOf(context, 'invoice_draft', isOfProject(context)),
  }),
  operation('invoice_drafts.retrieve', { target: 'invoice_draft', query: in_workspace, run: show }),
]

const head = ['id', 'object', 'created', 'updated', 'workspace']
shows('invoice_drafts.list', [
  ...head,
  'project',
  'status',
  'currency',
  ...wrong,
  'finalized_at',
  'voided_at',
  'revision',
])
