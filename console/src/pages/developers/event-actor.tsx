import type { AtriumEvent } from '@atrium/sdk'
import { useDirectory } from '../../data/index.ts'
import { t } from '../../language/index.ts'

export function EventActor({ actor }: { readonly actor: AtriumEvent['actor'] }) {
  const { nameOf } = useDirectory()
  return <span className="cut">{actor.type === 'system' ? t('Operator') : nameOf(actor.id)}</span>
}
