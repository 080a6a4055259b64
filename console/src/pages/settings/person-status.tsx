import type { Person } from '../../data/shapes.ts'
import { Badge } from '../../design/index.ts'
import { t } from '../../language/index.ts'

export function PersonStatus({ status }: Pick<Person, 'status'>) {
  const tones = { active: 'good', pending: 'warn', inactive: 'neutral' } as const
  const names = { active: t('Active'), pending: t('Invited'), inactive: t('Deactivated') }
  return (
    <Badge tone={tones[status]} dot>
      {names[status]}
    </Badge>
  )
}
