/** The columns that every resource's table begins with. */
export const resource_columns = `
  realm bigint not null, id text not null, created bigint not null, updated bigint not null,
  revision bigint not null, deleted_at bigint`
