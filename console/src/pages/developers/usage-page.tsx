/** Credits used and left: of this console per minute and per day, and of the plan per day. */
import './developers.css'
import { ErrorState } from '../../app/error-state.tsx'
import { useMode, useObject, useSession } from '../../data/index.ts'
import { Card, Gauge, inWords, Page, RelativeTime, Section } from '../../design/index.ts'
import { rich, t } from '../../language/index.ts'

export function UsagePage() {
  const mode = useMode()
  const { organization } = useSession()
  const usage = useObject('usage', mode, (atrium) => atrium.usage.retrieve(), { every_ms: 15_000 })
  return (
    <Page
      title={t('Usage')}
      description={t('Every operation costs credits. {plan}', { plan: planText(organization.plan) })}
    >
      {usage.error ? (
        <ErrorState error={usage.error} onRetry={() => void usage.refetch()} />
      ) : (
        <div className="dev-gauges">
          <Window
            title={t('Plan, today')}
            hint={t('All keys together, live and test.')}
            window={usage.data?.plan_day}
          />
          <Window
            title={t('This console, this minute')}
            hint={t('Each key has its own limit per minute.')}
            window={usage.data?.minute}
          />
          <Window
            title={t('This console, today')}
            hint={t('Each key has its own limit per day.')}
            window={usage.data?.day}
          />
        </div>
      )}
      <Section title={t('Costs')}>
        <p className="subtle">
          {rich(
            'Reading an object costs 1 credit, a list 5, most writes 10, reordering and batches 25, a preview or a count 50, an export 500. Errors cost 1, idempotent replays nothing. {link}',
            {
              link: (
                <a className="link" href="/docs">
                  {t('Costs of all operations')}
                </a>
              ),
            },
          )}
        </p>
      </Section>
    </Page>
  )
}

function planText(plan: string | null): string {
  return plan === null
    ? t('The plan of this organization has lapsed.')
    : t('This organization is on the {plan} plan.', { plan: inWords(plan) })
}

interface WindowProps {
  readonly title: string
  readonly hint: string
  readonly window: { readonly limit: number | null; readonly used: number; readonly resets_at: number } | undefined
}

function Window({ title, hint, window }: WindowProps) {
  return (
    <Card>
      <Gauge
        label={title}
        used={window?.used}
        limit={window?.limit ?? null}
        hint={
          <>
            {rich('{hint}{br}Resets', { hint, br: <br /> })}{' '}
            {window === undefined ? '…' : <RelativeTime at={window.resets_at} />}
          </>
        }
      />
    </Card>
  )
}
