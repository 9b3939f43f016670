import pg from 'pg';

/** Records the SELECT statements that services in this process send while `work` runs. */
export async function selectsDuring(work: () => Promise<unknown>): Promise<string[]> {
  const sent: string[] = [];
  const original = pg.Client.prototype.query;
  const query = original as (...all: unknown[]) => unknown;
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [statement] = args as [string | { text?: string }];
    sent.push(typeof statement === 'string' ? statement : (statement.text ?? ''));
    return query.apply(this, args);
  } as typeof original;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = original;
  }
  return sent.filter((statement) => /^\s*(select|with)\b/i.test(statement));
}
