import { body, path, query, type Wrong } from './wrong.ts'

export const exported: readonly Wrong[][] = [
  body(
    'exports.create',
    [{ resource: undefined }, 'resource'],
    [{ resource: 'projects' }, 'resource'],
    [{ project: 'prj_x' }, 'project'],
    [{ project: ['prj_x'] }, 'project[0]'],
    [{ filter: 'status =' }, 'filter'],
    [{ is_archived: 'false' }, 'is_archived'],
    [{ due_before: 'x' }, 'due_before'],
    [{ workspace: 'wsp_x' }, 'workspace'],
    [{ format: 'csv' }, 'format'],
  ),
  path('jobs.retrieve', [{ id: 'job_x' }, null]),
  query('jobs.retrieve', [{ wait: 'true' }, 'wait']),
]
