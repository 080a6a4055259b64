import { body, chars, path, query, type Wrong } from './wrong.ts'

export const platform: readonly Wrong[][] = [
  path('organizations.retrieve', [{ id: '{never_organization}' }, null], [{ id: '{workspace}' }, null]),
  query('organizations.retrieve', [{ fields: 'id' }, 'fields'], [{ workspace: '{workspace}' }, 'workspace']),
  query('members.list', [{ workspace: '{workspace}' }, 'workspace'], [{ status: 'active' }, 'status']),
  query('teams.list', [{ limit: '0' }, 'limit'], [{ fields: 'title' }, 'fields']),
  query('api_keys.list', [{ fields: 'id' }, 'fields'], [{ cursor: 'x' }, 'cursor']),
  body(
    'api_keys.create',
    [{ name: undefined }, 'name'],
    [{ name: '' }, 'name'],
    [{ name: chars(501) }, 'name'],
    [{ scopes: undefined }, 'scopes'],
    [{ scopes: [] }, 'scopes'],
    [{ scopes: 'tasks:read' }, 'scopes'],
    [{ scopes: ['tasks:admin'] }, 'scopes[0]'],
    [{ scopes: ['tasks:read', 5] }, 'scopes[1]'],
    [{ scopes: ['tasks:read', 'tasks:read'] }, 'scopes'],
    [{ expires_at: 'soon' }, 'expires_at'],
    [{ expires_at: 1 }, 'expires_at'],
    [{ expires_at: 1.5 }, 'expires_at'],
    [{ expires_at: -1 }, 'expires_at'],
    [{ mode: 'live' }, 'mode'],
    [{ secret: 'mine' }, 'secret'],
  ),
  path('api_keys.delete', [{ id: '{never_key}' }, null], [{ id: '{deleted_key}' }, null]),
  path('request_logs.retrieve', [{ id: 'req_x' }, null], [{ id: '{workspace}' }, null]),
  query(
    'audit_logs.list',
    [{ created_after: 'yesterday' }, 'created_after'],
    [{ created_after: '1.5' }, 'created_after'],
    [{ created_before: '-1' }, 'created_before'],
    [{ created_before: '99999999999999999' }, 'created_before'],
    [{ action: '' }, 'action'],
    [{ starting_after: '{task}' }, 'starting_after'],
    [{ cursor: 'x' }, 'cursor', 'cursor_invalid'],
  ),
]

export const events: readonly Wrong[][] = [
  query('events.list', [{ types: '*' }, 'types'], [{ limit: '101' }, 'limit']),
  query(
    'events.stream',
    [{ 'types[]': undefined }, 'types'],
    [{ 'types[]': 'workflow.task.exploded' }, 'types'],
    [{ 'types[]': 'task.*' }, 'types'],
    [{ 'types[]': '' }, 'types'],
    [{ limit: '1' }, 'limit'],
  ),
]
