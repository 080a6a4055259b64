/** Credits: what is used and left in the minute and the day of this console, and in the day that the plan gives to all. */
import './developers.css'
import { ErrorState } from '../../app/error-state.tsx'
import { useMode, useObject, useSession } from '../../data/index.ts'
import { Card, Gauge, Page, RelativeTime, Section } from '../../design/index.ts'

export function UsagePage() {
  const mode = useMode()
  const { organization } = useSession()
  const usage = useObject('usage', mode, (atrium) => atrium.usage.retrieve(), { every_ms: 15_000 })
  return (
    <Page
      title="Usage"
      description={`Every operation costs credits. The organization is on the ${organization.plan ?? 'lapsed'} plan.`}
    >
      {usage.error ? (
        <ErrorState error={usage.error} onRetry={() => void usage.refetch()} />
      ) : (
        <div className="dev-gauges">
          <Window title="The plan, today" hint="All keys together, live and test." window={usage.data?.plan_day} />
          <Window
            title="This console, this minute"
            hint="Each key has a minute of its own."
            window={usage.data?.minute}
          />
          <Window title="This console, today" hint="Each key has a day of its own." window={usage.data?.day} />
        </div>
      )}
      <Section title="What costs what">
        <p className="subtle">
          Reading one object costs 1 credit, a list 5, most writes 10, reordering and batches 25, a preview or a count
          50, an export 500. Errors cost 1, repeated answers nothing.{' '}
          <a href="/docs">All operations with their costs</a>
        </p>
      </Section>
    </Page>
  )
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
            {hint}
            <br />
            Begins anew {window === undefined ? '…' : <RelativeTime at={window.resets_at} />}
          </>
        }
      />
    </Card>
  )
}
