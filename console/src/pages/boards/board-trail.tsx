/** The ancestors of a board: the boards, and the project that it is attached to, which leads to the project's tasks. */
import type { Board } from '@atrium/sdk'
import { Link } from 'wouter'
import { t } from '../../language/index.ts'
import { useProject } from './reads.ts'

export function BoardTrail({ board }: { readonly board: Board | undefined }) {
  const { data: project } = useProject(board?.project ?? null)
  return (
    <>
      <Link href="/boards">{t('Boards')}</Link>
      {project !== undefined && board?.project === project.id && (
        <>
          <Link href={`/work/projects/${project.id}`}>{project.name}</Link>
          <Link href={`/work/projects/${project.id}/whiteboards`}>{t('Whiteboards')}</Link>
        </>
      )}
    </>
  )
}
