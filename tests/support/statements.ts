import pg from 'pg';

/** A statement of a service. */
export interface SentStatement {
  /** Its database: several services may run in this process. */
  database: string;
  /** The connection that sent it. */
  connection: object;
  text: string;
  values: readonly unknown[];
}

/** A connection's own options, which the types of `pg` leave out. */
interface Named {
  connectionParameters: { application_name?: string };
}

/** Records the statements that services in this process send while `work` runs, except those of their workers of jobs. */
export async function statementsDuring(work: () => Promise<unknown>): Promise<SentStatement[]> {
  const sent: SentStatement[] = [];
  const original = pg.Client.prototype.query;
  const query = original as (...all: unknown[]) => unknown;
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [statement, given] = args as [string | { text?: string; values?: unknown[] }, unknown];
    const { text = '', values } = typeof statement === 'string' ? { text: statement } : statement;
    const isOfWorker = (this as unknown as Named).connectionParameters.application_name?.endsWith(' jobs');
    if (!isOfWorker)
      sent.push({
        database: this.database ?? '',
        connection: this,
        text,
        values: values ?? (Array.isArray(given) ? (given as unknown[]) : []),
      });
    return query.apply(this, args);
  } as typeof original;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = original;
  }
  return sent;
}

/** The texts of the SELECT statements that services in this process send while `work` runs. */
export async function selectsDuring(work: () => Promise<unknown>): Promise<string[]> {
  const sent = await statementsDuring(work);
  return sent.map(({ text }) => text).filter((text) => /^\s*(select|with)\b/i.test(text));
}
