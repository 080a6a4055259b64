/** The runs that the steps of a run have called, as people see them (contract/16#calls). */
import Type from 'typebox'
import { described, Id } from '../../api/declare/shapes.ts'
import { automation_limits } from '../../automations/limits.ts'
import { AutomationRun } from './automation_run.ts'

export const AutomationCalledRuns = Type.Object({
  object: described(Type.Literal('automation_called_runs'), 'Kind of object: always `automation_called_runs`.'),
  automation_run: described(Id, 'Run that called them.'),
  data: Type.Array(AutomationRun, {
    maxItems: automation_limits.automation_called_shown_max,
    description: 'The latest runs that it called, newest first, without steps.',
  }),
  has_more: described(Type.Boolean(), 'Whether there are older ones.'),
})
