/** The runs that repeat a run, as people see them (contract/16#reruns). */
import Type from 'typebox'
import { described, Id } from '../../api/declare/shapes.ts'
import { automation_limits } from '../../automations/limits.ts'
import { AutomationRun } from './automation_run.ts'

export const AutomationRunReruns = Type.Object({
  object: described(Type.Literal('automation_run_reruns'), 'Kind of object: always `automation_run_reruns`.'),
  automation_run: described(Id, 'Run that was repeated.'),
  data: Type.Array(AutomationRun, {
    maxItems: automation_limits.automation_reruns_shown_max,
    description: 'Its latest reruns, newest first, without steps.',
  }),
  has_more: described(Type.Boolean(), 'Whether there are older ones.'),
})
