/** Home: my open tasks, recent activity, and the first steps of a new organization. */
import './home.css'
import type { AtriumEvent, Project, Task } from '@atrium/sdk'
import { Activity as ActivityIcon, CircleCheck } from 'lucide-react'
import { Link } from 'wouter'
import { Activity } from '../../app/activity.tsx'
import { ErrorState } from '../../app/error-state.tsx'
import { type ListResult, useAll, useHasRole, useList, useSession } from '../../data/index.ts'
import { ButtonLink, Card, Empty, Page, Section, SkeletonLines, useNow, wallOf } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { FirstSteps, useFirstSteps } from './first-steps.tsx'
import { MyTasks } from './my-tasks.tsx'
import { Showcase } from './showcase.tsx'

const open_statuses = ['backlog', 'todo', 'in_progress', 'in_review', 'blocked']
const tasks_shown = 12
const events_shown = 25
/** What people do; keys, exports and runs are in the developer area. */
const work_events = ['workflow.*', 'whiteboard.*']

export function HomePage() {
  return useHasRole('member') ? <MemberHome /> : <GuestHome />
}

/** A guest sees neither the log of the organization nor how it is set up. */
function GuestHome() {
  const { user } = useSession()
  const params = { assignee: user.id, status: open_statuses, sort: 'due_at,-priority', limit: tasks_shown }
  const tasks = useList('task', params, (atrium) => atrium.tasks.list(params))
  const projects = useAll<Project>('project', {}, (atrium) => atrium.projects.list({ limit: 100 }))
  return (
    <Page title={greeting(useNow(), user.first_name)}>
      {tasks.isPending || projects.isPending ? (
        <HomeSkeleton />
      ) : (
        <div className="home">
          <MyOpenTasks list={tasks} user={user.id} />
          <Section title={t('Projects')}>
            <Card flush>
              <ul className="steps" aria-label={t('Projects')}>
                {projects.data?.map(({ id, name }) => (
                  <li key={id}>
                    <Link className="step" href={`/work/projects/${id}`}>
                      <span className="grow step-title">{name}</span>
                    </Link>
                  </li>
                ))}
              </ul>
            </Card>
          </Section>
        </div>
      )}
    </Page>
  )
}

function MemberHome() {
  const { user, demo } = useSession()
  const steps = useFirstSteps()
  const params = { assignee: user.id, status: open_statuses, sort: 'due_at,-priority', limit: tasks_shown }
  const tasks = useList('task', params, (atrium) => atrium.tasks.list(params))
  const about = { limit: events_shown, types: work_events }
  const events = useList('event', about, (atrium) => atrium.events.list(about))
  // Beside my own tasks if there are any. The demo is set up already.
  const hasTasks = tasks.rows !== undefined && tasks.rows.length > 0
  const firstSteps = !demo && steps !== null && steps.length > 0 && <FirstSteps steps={steps} />
  return (
    <Page title={greeting(useNow(), user.first_name)}>
      {steps === null || tasks.isPending || events.isPending ? (
        <HomeSkeleton />
      ) : (
        <>
          <Showcase />
          {!hasTasks && firstSteps}
          <div className="home">
            <MyOpenTasks list={tasks} user={user.id} />
            <div>
              {hasTasks && firstSteps}
              <RecentActivity list={events} />
            </div>
          </div>
        </>
      )}
    </Page>
  )
}

/** Stands for the whole page, because the first section decides the position of the others. */
function HomeSkeleton() {
  return (
    <div className="home" aria-busy="true">
      {[8, 12].map((lines) => (
        <Card key={lines}>
          <SkeletonLines lines={lines} />
        </Card>
      ))}
    </div>
  )
}

function greeting(now: number, name: string | null): string {
  const hour = wallOf(now).getUTCHours()
  const words = hour < 5 || hour >= 18 ? t('Good evening') : hour < 12 ? t('Good morning') : t('Good afternoon')
  return name === null ? words : `${words}, ${name}`
}

function MyOpenTasks({ list, user }: { readonly list: ListResult<Task>; readonly user: string }) {
  const filter = `assignee = ${user} AND NOT (status = done OR status = canceled)`
  const all = (
    <ButtonLink to={`/work/tasks?${new URLSearchParams({ filter })}`} size="s">
      {t('View all')}
    </ButtonLink>
  )
  return (
    <Section title={t('My open tasks')} actions={list.hasMore && all}>
      {list.error ? (
        <ErrorState error={list.error} onRetry={list.refetch} />
      ) : (
        <Card flush>
          {list.rows?.length === 0 ? (
            <Empty icon={CircleCheck} title={t('No tasks assigned to you')} plain>
              {t('Open tasks that are assigned to you appear here, the most urgent first.')}
            </Empty>
          ) : (
            <MyTasks tasks={list.rows ?? []} />
          )}
        </Card>
      )}
    </Section>
  )
}

function RecentActivity({ list }: { readonly list: ListResult<AtriumEvent> }) {
  return (
    <Section title={t('Recent activity')}>
      {list.error ? (
        <ErrorState error={list.error} onRetry={list.refetch} />
      ) : (
        <Card flush>
          {list.rows?.length === 0 ? (
            <Empty icon={ActivityIcon} title={t('No activity yet')} plain>
              {t('Changes by people, API keys and automations appear here as they happen.')}
            </Empty>
          ) : (
            <Activity events={list.rows ?? []} />
          )}
        </Card>
      )}
    </Section>
  )
}
