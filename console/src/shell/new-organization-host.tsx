/** Opens the form for a new organization from the menu, the home page or the palette; its code is loaded then. Only for operators. */
import { Building2 } from 'lucide-react'
import { lazy, Suspense, useMemo } from 'react'
import { type Command, useCommands } from '../app/commands.ts'
import { newOrganizationIsOpen } from '../app/overlays.ts'
import { useSession } from '../data/session-store.ts'
import { t } from '../language/index.ts'
import { useStore } from '../lib/store.ts'

const NewOrganization = lazy(async () => ({ default: (await import('./new-organization.tsx')).NewOrganization }))

export function NewOrganizationHost() {
  return useSession().operator ? <OperatorForm /> : null
}

function OperatorForm() {
  const isOpen = useStore(newOrganizationIsOpen)
  useCommands(
    useMemo<readonly Command[]>(
      () => [
        {
          id: 'shell.new-organization',
          title: t('New organization'),
          group: t('General'),
          icon: Building2,
          run: () => newOrganizationIsOpen.set(true),
        },
      ],
      [],
    ),
  )
  if (!isOpen) return null
  return (
    <Suspense fallback={null}>
      <NewOrganization onClose={() => newOrganizationIsOpen.set(false)} />
    </Suspense>
  )
}
