/** The columns at the start of every resource's table. */
export const resource_columns = `
  realm bigint not null, id text not null, created bigint not null, updated bigint not null,
  revision bigint not null, deleted_at bigint`
