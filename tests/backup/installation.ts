import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { connectionTo } from '#server/database/connection.ts';
import { PlatformClient } from '#server/database/platform-client.ts';
import { DEMO_PASSWORD } from '#server/demo-ids.ts';
import { socketDirOf } from '#server/embedded-postgres/embedded-postgres.ts';
import { httpClient, type HttpClient } from '../support/platform/http-client.ts';
import { ANY_PORTS, startProcess, type StartedProcess } from '../support/process.ts';
import type { Stored } from './writers.ts';

/** The whole platform in a process of its own, as `npm start` runs it, on a data folder. */
export interface Installation extends HttpClient<string> {
  readonly process: StartedProcess;
  /** Logs in with the password of the demo accounts. */
  token(email: string): Promise<string>;
  /** What is stored, read without the services. */
  readonly stored: Stored;
}

export const environmentOf = (dataDir: string): Record<string, string> => ({
  HOST: '127.0.0.1',
  DATA_DIR: dataDir,
  RATE_LIMITS: 'off',
  ...ANY_PORTS,
});

export async function startInstallation(dataDir: string): Promise<Installation> {
  const process = startProcess([], environmentOf(dataDir));
  await process.printed(/Ready after/);
  const [, gateway = ''] = await process.printed(/^ {2}gateway +(http:\/\/\S+)/m);
  const client = httpClient((service: string) => (service === 'gateway' ? gateway : `${gateway}/${service}`));
  return {
    ...client,
    process,
    async token(email) {
      const { body } = await client.rest('identity', 'POST', '/auth/login', {
        body: { email, password: DEMO_PASSWORD },
      });
      return String(body.token);
    },
    stored: storedIn(dataDir),
  };
}

function storedIn(dataDir: string): Stored {
  const textsOf = async (database: string, statement: string): Promise<string[]> => {
    const socketDir = socketDirOf(path.join(dataDir, 'postgres')) ?? '';
    const sql = new PlatformClient(connectionTo({ socketDir }, `platform_${database}`));
    await sql.connect();
    try {
      const { rows } = await sql.query({ text: statement, rowMode: 'array' });
      return (rows as string[][]).map(([value]) => String(value));
    } finally {
      await sql.end();
    }
  };
  return {
    column: (database, table, column) => textsOf(database, `select ${column}::text from ${table}`),
    async postsWithPicture() {
      const posts = await textsOf('gym', `select image || ' ' || text from post where image is not null`);
      const files = new Set(await readdir(path.join(dataDir, 'files/gym')));
      return posts.filter((post) => files.has(post.split(' ')[0] ?? ''));
    },
    journals: () => journalTexts(dataDir),
  };
}

/** All text of squad's journals in files. */
async function journalTexts(dataDir: string): Promise<string> {
  const folder = path.join(dataDir, 'squad');
  const names = await readdir(folder, { recursive: true });
  const files = names.filter((name) => name.endsWith('.jsonl'));
  return (await Promise.all(files.map((name) => readFile(path.join(folder, name), 'utf8')))).join('\n');
}
