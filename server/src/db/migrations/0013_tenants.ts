import type { Migration } from './migration.ts'

/**
 * An email address may have one account per organization. Operators are members, not addresses, because an address is
 * not proven; the first operator of an existing installation is the founding owner of its oldest organization.
 */
export const tenants: Migration = {
  name: '0013_tenants',
  sql: `
drop index accounts_email;
create index accounts_email on accounts (email, id);
create table operators (organization text not null, "user" text not null, created bigint not null,
  primary key (organization, "user"));
insert into operators (organization, "user", created)
  select members.organization, members."user", members.created
  from members left join account_memberships held
    on held.organization = members.organization and held."user" = members."user"
  where members.organization = (select organization from organizations order by created, organization limit 1)
    and members.status = 'active' and coalesce(held.role, members.role) = 'owner'
  order by case when held.role = 'owner' then 0 else 1 end, members.created, members.id limit 1;
`,
}
