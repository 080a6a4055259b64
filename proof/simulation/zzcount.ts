import { Simulator } from './simulate.ts'
import { SqliteConnection } from '../../server/src/db/sqlite-connection.ts'
const counts = new Map<string, [number, number]>()
const hr = () => { const c = process.cpuUsage(); return BigInt((c.user + c.system) * 1000) }
for (const name of ['all', 'first', 'run'] as const) {
  const old = SqliteConnection.prototype[name] as any
  ;(SqliteConnection.prototype as any)[name] = function (q: any, v: any) { const k = q.statement('sqlite').sql.slice(0, 110); const f = hr(); try { return old.call(this, q, v) } finally { const c = counts.get(k) ?? [0, 0]; c[0]++; c[1] += Number(hr() - f) / 1e3; counts.set(k, c) } }
}
{ const old = (SqliteConnection.prototype as any).prepare; (SqliteConnection.prototype as any).prepare = function (t: string) { const has = this.statements.has(t); if (has) return old.call(this, t); const f = hr(); try { return old.call(this, t) } finally { const k = 'PREPARE'; const c = counts.get(k) ?? [0, 0]; c[0]++; c[1] += Number(hr() - f) / 1e3; counts.set(k, c) } } }
{ const old = (SqliteConnection.prototype as any).open; (SqliteConnection.prototype as any).open = function () { const f = hr(); try { return old.call(this) } finally { const k = 'OPEN'; const c = counts.get(k) ?? [0, 0]; c[0]++; c[1] += Number(hr() - f) / 1e3; counts.set(k, c) } } }
const oe = SqliteConnection.prototype.exec
SqliteConnection.prototype.exec = function (t: string) { const f = hr(); try { return oe.call(this, t) } finally { const c = counts.get(t) ?? [0, 0]; c[0]++; c[1] += Number(hr() - f) / 1e3; counts.set(t, c) } }
const s = new Simulator(); await s.install(); const N = 30
for (let i = 1; i <= 5; i++) await s.simulate(i)
counts.clear()
const cpu = process.cpuUsage()
for (let i = 1; i <= N; i++) await s.simulate(i)
const c = process.cpuUsage(cpu); console.log('cpu ms/seed', (c.user + c.system) / 1000 / N)
let tc = 0, tt = 0
for (const [k, [n, t]] of [...counts].sort((a, b) => b[1][1] - a[1][1])) { tc += n; tt += t }
console.log('statements per seed', tc / N, 'ms', tt / N / 1000)
for (const [k, [n, t]] of [...counts].sort((a, b) => b[1][1] - a[1][1]).slice(0, 40)) console.log((n / N).toFixed(1).padStart(7), (t / N / 1000).toFixed(2).padStart(7), (t / n).toFixed(0).padStart(5) + 'µs', k)
process.exit()
