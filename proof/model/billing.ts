/** Expenses, billing rates and invoice drafts. */
import {
  amount,
  basis_points,
  currency,
  custom,
  date,
  type Form,
  id,
  integer,
  isCurrency,
  isDay,
  long,
  nullable,
  oneOf,
  text,
  title,
} from './forms.ts'
import { stored } from './kinds.ts'
import { shows } from './lists.ts'
import type { Model } from './model.ts'
import type { Fields, Json } from './names.ts'
import { type Context, operation } from './operation.ts'
import { badBody, conflict } from './refused.ts'
import { alive, type Thing } from './state.ts'
import { creatorOf, in_project, in_workspace, isOfProject, listOf, note, remove, show } from './things.ts'
import { given } from './work.ts'

export const wrong = ['gross_amount_minor', 'net_amount_minor', 'tax_amount_minor']

export function requireSum({ gross_amount_minor: gross, net_amount_minor: net, tax_amount_minor: tax }: Fields): void {
  if ([gross, net, tax].every((each) => typeof each === 'number') && gross !== Number(net) + Number(tax))
    throw badBody(wrong)
}

/** Values of the right form that do not exist. */
function requireSound(body: Fields): void {
  if (body.currency !== undefined && !isCurrency(body.currency)) throw badBody(['currency', ...wrong])
  if (body.expense_date !== undefined && !isDay(body.expense_date)) throw badBody(['expense_date', ...wrong])
}

/** Values of the right form that do not exist or do not add up. */
export function requireReal(body: Fields, before: Fields = {}): void {
  requireSound(body)
  requireSum({ ...before, ...body })
}

/** Makes most generated amounts add up. */
function addUp(body: Fields): void {
  const { net_amount_minor: net, tax_amount_minor: tax } = body
  if (typeof net !== 'number' || typeof tax !== 'number') return
  if (Number.isSafeInteger(net + tax)) body.gross_amount_minor = net + tax
  else body.net_amount_minor = null
}

const words = text(0, 500)

const required = { category: title, expense_date: date, currency, gross_amount_minor: amount }

const optional: Readonly<Record<string, Form>> = {
  net_amount_minor: nullable(amount),
  tax_amount_minor: nullable(amount),
  tax_rate_bp: nullable(basis_points),
  vendor: nullable(words),
  vendor_vat_id: nullable(words),
  invoice_number: nullable(words),
  payment_method: nullable(words),
  business_purpose: nullable(long),
  project: nullable(id('project')),
  notes: nullable(long),
  extra_fields: custom,
}

const texts = ['vendor', 'vendor_vat_id', 'invoice_number', 'payment_method', 'business_purpose', 'notes']

function expenseFields({ model, realm }: Context, body: Fields, before: Fields): Fields {
  requireReal(body, before)
  const fields = given(body, 'category', 'expense_date', 'currency', ...wrong, 'tax_rate_bp', 'project')
  for (const name of texts) if (name in body) fields[name] = stored(body[name])
  if (typeof body.project === 'string' && body.project !== before.project)
    model.usableProject(realm, body.project, before.workspace as Json)
  if ('extra_fields' in body) {
    const all = { ...(before.extra_fields as Fields), ...(body.extra_fields as Fields) }
    fields.extra_fields = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null))
    if (Object.keys(fields.extra_fields).length > 50) throw badBody('extra_fields')
  }
  return fields
}

const createExpense = operation('expenses.create', {
  body: { workspace: id('workspace'), ...required, ...optional },
  needs: ['workspace', ...Object.keys(required)],
  shape: (body, n) => (n.chance(10) ? undefined : addUp(body)),
  check: (body) => requireReal(body),
  weight: 3,
  run(context) {
    const { model, realm, body } = context
    const workspace = model.workspaceOf(realm, body.workspace as string).id
    const empty: Fields = { workspace, extra_fields: {} }
    const fields = expenseFields(context, body, empty)
    const names = [
      'project',
      'category',
      'expense_date',
      'currency',
      'gross_amount_minor',
      'net_amount_minor',
      'tax_amount_minor',
      'tax_rate_bp',
    ]
    const rest = ['vendor', 'vendor_vat_id', 'invoice_number', 'payment_method', 'business_purpose', 'notes']
    const all = Object.fromEntries([...names, ...rest].map((name) => [name, fields[name] ?? null]))
    const state = { extra_fields: fields.extra_fields ?? {}, status: 'draft', creator: creatorOf(context), revision: 1 }
    const made = model.add(realm, 'expense', { ...model.head('expense'), workspace, ...all, ...state })
    model.recordEvent('workflow.expense.created', made)
    note(context, made)
    return { ...made.shown }
  },
})

const updateExpense = operation('expenses.update', {
  target: 'expense',
  body: {
    workspace: id('workspace'),
    ...required,
    ...optional,
    revision: integer(1, Number.MAX_SAFE_INTEGER, [1, 2, 3]),
  },
  isGuarded: true,
  shape: (body, n) => (n.chance(10) ? undefined : addUp(body)),
  weight: 3,
  run(context) {
    const { model, target, body, incoming } = context
    requireSound(body)
    if (body.revision !== undefined && body.revision !== target.shown.revision) {
      const match = /\d+/.exec(incoming.headers['if-match'] ?? '')
      if (match !== null && Number(match[0]) !== body.revision) throw badBody()
      throw conflict()
    }
    if (target.shown.status !== 'draft') throw conflict()
    model.change(target, expenseFields(context, body, target.shown), 'workflow.expense.updated')
    note(context, target)
    return { ...target.shown }
  },
})

const deleteExpense = operation('expenses.delete', {
  target: 'expense',
  query: in_workspace,
  body: in_workspace,
  isGuarded: true,
  run(context) {
    if (context.target.shown.status !== 'draft') throw conflict()
    return remove(context, 'workflow.expense.deleted')
  },
})

/** The target of a rate must exist and have no other rate. */
function requireTarget(context: Context, { workspace, scope, target }: Fields, own: string | null): void {
  const { model, realm } = context
  if ((scope === 'workspace') !== (target === null)) throw badBody('target')
  if (scope === 'project') model.usableProject(realm, target as string, workspace as Json, 'target')
  if (scope === 'user') model.requireUser(target as string, 'target')
  const isTwin = ({ id: other, shown }: Thing) =>
    other !== own && shown.workspace === workspace && shown.scope === scope && shown.target === target
  if (alive(realm, 'billing_rate').some(isTwin)) throw conflict()
}

const rate_scope = oneOf('workspace', 'project', 'user')

const target: Form = {
  ...nullable(id('project')),
  good: (n, finder) => (n.chance(30) ? null : finder.reference(n.pick(['project', 'user']), n)),
}

function fitTarget(body: Fields, n: { chance(percent: number): boolean }, model: Model): void {
  if (n.chance(10)) return
  if (body.scope === 'workspace') delete body.target
  if (body.scope === 'user') body.target = model.setting.members[0]?.user as Json
  const project = model.present('project').at(-1)
  if (body.scope === 'project' && project !== undefined) {
    body.target = project.id
    if ('workspace' in body) body.workspace = project.shown.workspace as Json
  }
}

const createRate = operation('billing_rates.create', {
  body: { workspace: id('workspace'), scope: rate_scope, currency, amount_minor: amount, target },
  needs: ['workspace', 'scope', 'currency', 'amount_minor'],
  shape: fitTarget,
  check: (body) => requireReal(body),
  weight: 2,
  run(context) {
    const { model, realm, body } = context
    const workspace = model.workspaceOf(realm, body.workspace as string).id
    const applies: Fields = { workspace, scope: body.scope as Json, target: body.target ?? null }
    requireTarget(context, applies, null)
    const fields = { currency: body.currency as Json, amount_minor: body.amount_minor as Json, revision: 1 }
    const made = model.add(realm, 'billing_rate', { ...model.head('billing_rate'), ...applies, ...fields })
    model.recordEvent('workflow.billing_rate.created', made)
    note(context, made)
    return { ...made.shown }
  },
})

const updateRate = operation('billing_rates.update', {
  target: 'billing_rate',
  body: { workspace: id('workspace'), scope: rate_scope, currency, amount_minor: amount, target },
  isGuarded: true,
  shape: fitTarget,
  weight: 2,
  run(context) {
    const { model, target: rate, body } = context
    requireReal(body)
    const before = rate.shown
    const scope = body.scope ?? (before.scope as Json)
    const stays = scope === before.scope ? (before.target as Json) : null
    const applies: Fields = {
      workspace: before.workspace as Json,
      scope,
      target: body.target === undefined ? stays : body.target,
    }
    if (scope !== before.scope || applies.target !== before.target) requireTarget(context, applies, rate.id)
    model.change(rate, { ...applies, ...given(body, 'currency', 'amount_minor') }, 'workflow.billing_rate.updated')
    note(context, rate)
    return { ...rate.shown }
  },
})

export const billing = [
  createExpense,
  updateExpense,
  deleteExpense,
  operation('expenses.list', {
    query: { ...in_project, status: oneOf('draft', 'submitted', 'approved', 'rejected', 'reimbursed') },
    run(context) {
      const { status } = context.query
      return listOf(
        context,
        'expense',
        (each) => isOfProject(context)(each) && (status ?? each.shown.status) === each.shown.status,
      )
    },
  }),
  operation('expenses.retrieve', { target: 'expense', query: in_workspace, run: show }),
  createRate,
  updateRate,
  operation('billing_rates.delete', {
    target: 'billing_rate',
    query: in_workspace,
    body: in_workspace,
    isGuarded: true,
    run: (context) => remove(context, 'workflow.billing_rate.deleted'),
  }),
  operation('billing_rates.list', {
    query: { ...in_workspace, scope: rate_scope },
    run: (context) =>
      listOf(context, 'billing_rate', ({ shown }) => (context.query.scope ?? shown.scope) === shown.scope),
  }),
  operation('billing_rates.retrieve', { target: 'billing_rate', query: in_workspace, run: show }),
]

const head = ['id', 'object', 'created', 'updated', 'workspace']
shows('expenses.list', [
  ...head,
  'project',
  ...Object.keys(required),
  ...Object.keys(optional),
  'status',
  'creator',
  'revision',
])
shows('billing_rates.list', [...head, 'scope', 'target', 'currency', 'amount_minor', 'revision'])
