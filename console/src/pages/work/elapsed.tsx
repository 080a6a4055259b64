import { useEffect, useState } from 'react'

/** The time since `from`, counting up every second: `1:02:03`. */
export function Elapsed({ from }: { readonly from: number }) {
  const [now, setNow] = useState(() => Date.now() / 1000)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now() / 1000), 1000)
    return () => clearInterval(timer)
  }, [])
  const s = Math.max(0, Math.floor(now - from))
  const two = (part: number) => String(part).padStart(2, '0')
  return <span className="numbers">{`${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`}</span>
}
