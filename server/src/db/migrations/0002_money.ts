import type { Migration } from './migration.ts'
import { resource_columns } from './resource-columns.ts'

/** Expenses, billing rates, invoice drafts: amounts are integers in minor units. */
export const money: Migration = {
  name: '0002_money',
  sql: `
create table expenses (${resource_columns}, workspace text not null, project text, category text not null,
  expense_date text not null, currency text not null, gross_amount_minor bigint not null, net_amount_minor bigint,
  tax_amount_minor bigint, tax_rate_bp bigint, vendor text, vendor_vat_id text, invoice_number text,
  payment_method text, business_purpose text, notes text, extra_fields text not null, status text not null,
  creator_type text not null, creator_id text not null, primary key (realm, id));
create index expenses_workspace on expenses (realm, workspace, id);
create index expenses_project on expenses (realm, project, id);
create table billing_rates (${resource_columns}, workspace text not null, scope text not null, target text,
  currency text not null, amount_minor bigint not null, primary key (realm, id));
create index billing_rates_workspace on billing_rates (realm, workspace, id);
create table invoice_drafts (${resource_columns}, workspace text not null, project text not null, status text not null,
  currency text not null, net_amount_minor bigint not null, tax_amount_minor bigint not null,
  gross_amount_minor bigint not null, finalized_at bigint, voided_at bigint, primary key (realm, id));
create index invoice_drafts_workspace on invoice_drafts (realm, workspace, id);
create index invoice_drafts_project on invoice_drafts (realm, project, id);
`,
}
