import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serviceTokens } from '#server/auth/service-tokens.ts';
import { DEMO_PASSWORD } from '#server/demo-ids.ts';
import { readSettings, serverSettings } from '#server/settings.ts';
import { ANY_PORTS, startProcess, type StartedProcess } from '../../support/process.ts';

/** How long a request is repeated while the platform is down. */
const REPEAT_MILLIS = 300_000; // 5 min: a start takes minutes on a busy machine

export interface Answer {
  status: number;
  // oxlint-disable-next-line no-explicit-any -- the JSON of many routes
  body: any;
  /** The header `Link`; empty without one. */
  link: string;
}

/** A platform that is killed, and started again on the same data. Requests are repeated until they are answered. */
export class RunningPlatform {
  kills = 0;
  private isStopped = false;
  private readonly env: Record<string, string>;
  private process: StartedProcess | undefined;
  private url: string | undefined;

  private constructor(dataDir: string) {
    this.env = {
      ...ANY_PORTS,
      DATA_DIR: dataDir,
      DEMO: 'on',
      RATE_LIMITS: 'off',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'error',
    };
  }

  static async start(): Promise<RunningPlatform> {
    const platform = new RunningPlatform(await mkdtemp(path.join(os.tmpdir(), 'season-')));
    await platform.run();
    return platform;
  }

  private async run(): Promise<void> {
    this.process = startProcess([], this.env);
    const [, url = ''] = await this.process.printed(/Open (http:\/\/\S+)/);
    this.url = url;
  }

  /** kill -9 of all services, and a new start. */
  async kill(): Promise<void> {
    this.url = undefined;
    this.process?.child.kill('SIGKILL');
    await this.process?.ended;
    this.kills += 1;
    await this.run();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.process?.end();
    await rm(this.env.DATA_DIR ?? '', { recursive: true, force: true });
  }

  /**
   * Sends a request through the gateway. Without an answer, or with a 5xx, it is repeated. A POST with JSON has an
   * Idempotency-Key, so that it has one effect; a file has none, because a second import of it adds nothing.
   */
  async call(method: string, at: string, token?: string, body?: object | string | Blob): Promise<Answer> {
    const isFile = typeof body === 'string' || body instanceof Blob;
    const headers = {
      'Content-Type':
        body instanceof Blob ? body.type : typeof body === 'string' ? 'text/csv' : 'application/json',
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(method === 'POST' && !isFile && { 'Idempotency-Key': randomUUID() }),
    };
    const until = Date.now() + REPEAT_MILLIS;
    for (;;) {
      const { url } = this;
      if (url) {
        try {
          const answer = await fetch(`${url}${at}`, {
            method,
            headers,
            signal: AbortSignal.timeout(30_000),
            ...(body !== undefined && { body: isFile ? body : JSON.stringify(body) }),
          });
          const text = await answer.text();
          const link = answer.headers.get('link') ?? '';
          if (answer.status < 500)
            return { status: answer.status, body: text ? JSON.parse(text) : undefined, link };
        } catch {
          // The platform was killed.
        }
      }
      if (this.isStopped || Date.now() > until) throw new Error(`${method} ${at} was not answered`);
      await sleep(50);
    }
  }

  /** @throws Error for an answer other than 2xx */
  async expect(method: string, at: string, token: string, body?: object | string | Blob) {
    const answer = await this.call(method, at, token, body);
    if (answer.status >= 300)
      throw new Error(
        `${method} ${at}: ${answer.status} ${JSON.stringify(answer.body)}, sent ${JSON.stringify(body)}`,
      );
    return answer.body;
  }

  async login(email: string, password = DEMO_PASSWORD): Promise<string> {
    return (await this.call('POST', '/identity/auth/login', undefined, { email, password })).body
      .token as string;
  }

  /** The token of the squad service, which writes the trainings of participants. */
  async squadToken(): Promise<string> {
    const settings = readSettings(serverSettings, this.env);
    const until = Date.now() + REPEAT_MILLIS;
    for (;;) {
      try {
        return await serviceTokens('squad', { ...settings, identityUrl: `${this.url}/identity` }).get();
      } catch (error) {
        if (this.isStopped || Date.now() > until) throw error;
        await sleep(50); // the platform was killed
      }
    }
  }
}
