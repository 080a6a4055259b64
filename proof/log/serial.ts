/**
 * The control: a consumer of a serial column, whose numbers are assigned at insert, in the same transactions as the product's
 * events. It misses a commit that comes after one with higher numbers.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

const column = `
  create table serial_log (serial bigserial primary key, event text not null);
  create function number_event() returns trigger language plpgsql security definer as $$
    begin
      insert into serial_log (event) values (new.id);
      return null;
    end $$;
  create trigger number_event after insert on events for each row execute function number_event();`

const page = 'select serial, event from serial_log where serial > $1 order by serial limit 100'

export class SerialControl {
  readonly got = new Set<string>()
  private readonly client: pg.Client
  private last = '0'
  private over = false

  private constructor(client: pg.Client) {
    this.client = client
  }

  static async open(url: string): Promise<SerialControl> {
    const client = new pg.Client(url)
    await client.connect()
    await client.query(column)
    return new SerialControl(client)
  }

  async follow(): Promise<void> {
    while (!this.over) {
      const { rows } = await this.client.query(page, [this.last])
      for (const { event } of rows) this.got.add(event)
      this.last = rows.at(-1)?.serial ?? this.last
      if (rows.length === 0) await sleep(2)
    }
  }

  end(): void {
    this.over = true
  }

  async missed(): Promise<number> {
    const { rows } = await this.client.query('select event from serial_log')
    return rows.filter(({ event }) => !this.got.has(event)).length
  }

  async close(): Promise<void> {
    await this.client.end()
  }
}
