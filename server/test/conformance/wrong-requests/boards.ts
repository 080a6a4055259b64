import { body, conflict, path, query, type Wrong } from './wrong.ts'

export const boards: readonly Wrong[][] = [
  query(
    'boards.list',
    [{ include_archived: 'maybe' }, 'include_archived'],
    [{ starting_after: '{board}' }, 'starting_after'],
  ),
  body(
    'boards.create',
    [{ name: undefined }, 'name'],
    [{ name: '' }, 'name'],
    [{ description: 5 }, 'description'],
    [{ owner: '{user}' }, 'owner'],
  ),
  body('boards.update', [{ name: null }, 'name'], [{ status: 'archived' }, 'status']),
  path('boards.update', [{ id: '{archived_board}' }, undefined, conflict], [{ id: 'brd_x' }, null]),
  path('boards.delete', [{ id: '{archived_board}' }, undefined, conflict]),
  body(
    'board_items.create',
    [{ items: [] }, 'items'],
    [{ items: [{ type: 'blob' }] }, 'items[0].type'],
    [{ items: [{ type: 'text', position: { x: 'left', y: 0 } }] }, 'items[0].position.x'],
    [{ items: [{ type: 'connector' }] }, 'items[0].connector'],
    [{ items: [{ type: 'card', linked_task: 'tsk_x' }] }, 'items[0].linked_task'],
  ),
  path('board_items.create', [{ id: '{archived_board}' }, undefined, conflict]),
  path('board_items.delete', [{ id: '{archived_board}', item_id: '{archived_board_item}' }, undefined, conflict]),
  body(
    'board_members.create',
    [{ role: undefined }, 'role'],
    [{ role: 'admin' }, 'role'],
    [{ role: 'owner' }, 'role'],
    [{ user: 'usr_x' }, 'user'],
    [{ user: '{inactive_user}' }, 'user'],
  ),
  path(
    'board_members.update',
    [{ user_id: 'usr_x' }, null],
    [{ id: 'brd_x' }, null],
    [{ id: '{archived_board}' }, undefined],
  ),
  query('board_members.list', [{ ending_before: '{board}' }, 'ending_before'], [{ fields: 'id' }, 'fields']),
  path('board_items.retrieve', [{ item_id: 'itm_x' }, null], [{ id: 'brd_x' }, null]),
  query('board_items.list', [{ cursor: 'x' }, 'cursor', 'cursor_invalid']),
]
