import { freePort } from '#server/http/free-ports.ts';
import { DEMO_PASSWORD } from '#server/demo-ids.ts';
import { database as contentDatabase } from '../../../subgraphs/content/database.ts';
import { database as squadDatabase } from '../../../subgraphs/squad/database.ts';
import { cloneDatabase, type ClonedDatabase } from '../../support/database.ts';
import { startPlatform, type TestAccount, type TestPlatform, type Untyped } from '../../support/platform.ts';
import { startProcess, type StartedProcess } from '../../support/process.ts';

/** A SUPER_ADMIN. They have no token yet, and log in when their first request is refused. */
const OPERATOR: TestAccount = { id: '', email: 'super@demo.test', password: DEMO_PASSWORD, token: '' };

export type Victim = 'squad' | 'content';

/**
 * An answer; undefined if none came, so that nobody knows what the request has done, or if the token was refused and
 * has to be sent again with a new one.
 */
export type Answer = { status: number; body: Untyped; next: string | null } | undefined;

/** Squad and content in processes that can be killed, and the services that they need. */
export class Stage {
  readonly platform: TestPlatform;
  private readonly databases: Partial<Record<Victim, ClonedDatabase>>;
  private readonly ports: Record<Victim, number>;
  private readonly running = new Map<Victim, StartedProcess>();
  private readonly tokens = new Map<string, string>();

  private constructor(platform: TestPlatform, databases: Stage['databases'], ports: Record<Victim, number>) {
    this.platform = platform;
    this.databases = databases;
    this.ports = ports;
  }

  static async open(storage: 'files' | 'PostgreSQL'): Promise<Stage> {
    const platform = await startPlatform({ services: ['identity', 'gym'] });
    const databases = {
      content: await cloneDatabase(contentDatabase),
      ...(storage === 'PostgreSQL' && { squad: await cloneDatabase(squadDatabase) }),
    };
    const stage = new Stage(platform, databases, { squad: await freePort(), content: await freePort() });
    await Promise.all([stage.start('squad'), stage.start('content')]);
    return stage;
  }

  /** Resolves when the service accepts requests. */
  async start(name: Victim): Promise<void> {
    const { [name]: database } = this.databases;
    const args = [
      name,
      String(this.ports[name]),
      ...(database ? [JSON.stringify({ server: database.server, name: database.name })] : []),
    ];
    const env = {
      ...this.platform.env,
      SQUAD_URL: this.urlOf('squad'),
      CONTENT_URL: this.urlOf('content'),
      ...(name === 'squad' && database && { DATABASE_URL: 'postgres://unused/postgres' }),
    };
    const service = startProcess(args, env, 'tests/squad/programs/service.ts');
    this.running.set(name, service);
    await service.printed(/ready/);
  }

  async kill(name: Victim): Promise<void> {
    await this.running.get(name)?.end('SIGKILL');
  }

  async call(by: TestAccount, service: Victim, method: string, path: string, body?: object): Promise<Answer> {
    const token = this.tokens.get(by.id) ?? by.token;
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    try {
      const answer = await fetch(this.urlOf(service) + path, {
        method,
        headers,
        signal: AbortSignal.timeout(20_000),
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (answer.status === 401) {
        this.tokens.set(by.id, await this.platform.login(by.email, by.password));
        return undefined;
      }
      const next = /<([^>]*)>;\s*rel="next"/.exec(answer.headers.get('link') ?? '')?.[1] ?? null;
      return { status: answer.status, body: text ? JSON.parse(text) : null, next };
    } catch {
      return undefined;
    }
  }

  /** Repeats the request until the status of its answer is below 500. */
  async insist(by: TestAccount, service: Victim, method: string, path: string, body?: object) {
    for (;;) {
      const answer = await this.call(by, service, method, path, body);
      if (answer && answer.status < 500) return answer;
      await pause(20);
    }
  }

  /** All entries of a list. */
  async all(by: TestAccount, service: Victim, path: string): Promise<Untyped[]> {
    const entries: Untyped[] = [];
    for (let at: string | null = path; at;) {
      const { body, next }: NonNullable<Answer> = await this.insist(by, service, 'GET', at);
      entries.push(...body);
      at = next && new URL(next, 'http://any').pathname + new URL(next, 'http://any').search;
    }
    return entries;
  }

  /** The jobs that write trainings: those that wait, run or have failed. */
  jobs(): Promise<Untyped[]> {
    return this.all(OPERATOR, 'squad', '/jobs?name=write_squad_training&limit=200');
  }

  /** Lets a job begin at once. */
  async retry(id: string): Promise<void> {
    await this.insist(OPERATOR, 'squad', 'POST', `/jobs/${id}/retry`);
  }

  async close(): Promise<void> {
    await Promise.all([...this.running.values()].map((service) => service.end()));
    await this.platform.stop();
    await Promise.all(Object.values(this.databases).map((database) => database.drop()));
  }

  private urlOf(name: Victim): string {
    return `http://127.0.0.1:${this.ports[name]}`;
  }
}

export const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis));
