/** The sheet of an object whose ID is in the URL and not in the list. */
import type { ReactNode } from 'react'
import { Sheet } from '../design/dialog.tsx'
import { Empty } from '../design/empty.tsx'
import { capitalized } from '../design/words.ts'
import { t } from '../language/index.ts'
import { OtherOrganization } from './other-organization.tsx'

interface NotFoundSheetProps {
  /** The kind of object: key, person. */
  readonly noun: string
  readonly onClose: () => void
  /** Where else it may be. */
  readonly children?: ReactNode
}

export function NotFoundSheet({ noun, onClose, children }: NotFoundSheetProps) {
  return (
    <Sheet open onClose={onClose} title={t('{noun} not found', { noun: capitalized(noun) })}>
      <Empty plain title={t('No {noun} with this ID', { noun })}>
        {children}
      </Empty>
      <OtherOrganization />
    </Sheet>
  )
}
