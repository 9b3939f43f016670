import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEMO_GYMS, DEMO_PASSWORD } from '#server/demo-ids.ts';
import { freePort } from '#server/http/listen.ts';
import { ANY_PORTS, startProcess, type StartedProcess } from '../../support/process.ts';
import { violations } from './checks.ts';
import { Crm } from './crm.ts';
import { Integrator, request } from './integrator.ts';
import { DayReceiver, MODES } from './receiver.ts';
import { Turnstile, type Acknowledged, type DayMember } from './turnstile.ts';

export interface DaySizes {
  /** The day ends when the turnstile has made so many scans, and every fault has happened. */
  scans: number;
  members: number;
  /** How long the receiver behaves in each way. */
  modeSeconds: number;
  /** How often the whole platform is killed, with its database. */
  kills: number;
  /** The age at which the integrators renew their tokens. */
  tokenSeconds: number;
  /** How long the CRM waits for the platform's own attempts at the end, before it replays. */
  patienceSeconds: number;
}

export interface DayReport {
  violations: string[];
  figures: Record<'scans' | 'events' | 'requests' | 'acknowledged' | 'tokens' | 'kills' | 'seconds', number>;
}

/** The platform as one process with its own database, at one address, whatever happens to it. */
class DayPlatform {
  kills = 0;
  readonly url: string;
  private readonly env: Record<string, string>;
  private running: StartedProcess | undefined;

  constructor(dataDir: string, port: number) {
    this.url = `http://127.0.0.1:${port}`;
    this.env = {
      ...ANY_PORTS,
      GATEWAY_PORT: String(port),
      DATA_DIR: dataDir,
      DEMO: 'on',
      RATE_LIMITS: 'off',
      HOST: '127.0.0.1',
    };
  }

  async start(): Promise<void> {
    this.running = startProcess([], this.env);
    await this.running.printed(/Ready after/);
  }

  async killAndRestart(): Promise<void> {
    await this.running?.end('SIGKILL');
    this.kills += 1;
    await this.start();
  }

  async end(signal?: NodeJS.Signals): Promise<void> {
    await this.running?.end(signal);
  }
}

/** A day of a gym's systems, over HTTP alone: what they have seen, compared with what the platform promises. */
export async function integratorsDay(sizes: DaySizes): Promise<DayReport> {
  const begunAt = Date.now();
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'integrators-day-'));
  const platform = new DayPlatform(dataDir, await freePort());
  const receiver = new DayReceiver();
  try {
    await platform.start();
    const gym = await openGym(platform.url, sizes);
    const crm = new Crm(gym.crmClient, receiver);
    await crm.start();
    const turnstile = new Turnstile(gym.turnstileClient, gym.locationId);
    let isOver = false;
    const goesOn = () => !isOver;
    const half = Math.ceil(gym.members.length / 2);
    const office = new Office(platform.url);
    const work = [
      turnstile.scanWhile(gym.members.slice(0, half), goesOn, 5),
      turnstile.scanWhile(gym.members.slice(half), goesOn, 5),
      office.registerWhile(goesOn, 1_000),
      crm.readWhile(goesOn),
    ];
    const day = async () => {
      await letThingsHappen(platform, receiver, sizes);
      while (turnstile.scans < sizes.scans) await sleep(50);
    };
    await Promise.race([day(), Promise.all(work)]); // a failure of the work ends the day at once
    isOver = true;
    await Promise.all(work);
    await crm.settle(sizes.patienceSeconds * 1_000);
    const acknowledged = [...turnstile.acknowledged, ...office.acknowledged];
    const seen = { acknowledged, feed: crm.feed, deliveries: await crm.deliveries() };
    return {
      violations: violations({ ...seen, received: receiver.received, followed: receiver.followed }),
      figures: {
        scans: turnstile.scans,
        events: crm.feed.length,
        requests: receiver.received.length,
        acknowledged: acknowledged.length,
        tokens: gym.crmClient.renewals + gym.turnstileClient.renewals,
        kills: platform.kills,
        seconds: Math.round((Date.now() - begunAt) / 1_000),
      },
    };
  } finally {
    await platform.end();
    await receiver.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The receiver behaves in each way for some time; meanwhile the platform is killed. */
async function letThingsHappen(
  platform: DayPlatform,
  receiver: DayReceiver,
  { modeSeconds, kills }: DaySizes,
): Promise<void> {
  for (const [index, mode] of MODES.entries()) {
    await receiver.become(mode);
    await sleep(modeSeconds * 1_000); // the length of the fault
    if (platform.kills < Math.floor(((index + 1) * kills) / MODES.length)) await platform.killAndRestart();
  }
  await receiver.become('healthy');
}

/** Creates a location, members and machine clients. */
async function openGym(url: string, { members, tokenSeconds }: DaySizes) {
  const login = await request(`${url}/identity/auth/login`, 'POST', {
    body: { email: 'admin@iron.test', password: DEMO_PASSWORD },
  });
  const staff = login.body.token as string;
  const post = async (at: string, body: object) => {
    const answer = await request(`${url}${at}`, 'POST', { token: staff, body });
    if (answer.status !== 201) throw new Error(`${at}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const { id: locationId } = await post('/gym/locations', {
    name: `Hall ${randomUUID()}`,
    timezone: 'Europe/Berlin',
    capacity: 2, // of the two members who are let in at the same time, so that its level changes often
  });
  const client = async (name: string, scopes: readonly string[], more: object = {}) =>
    new Integrator(url, await post('/identity/api-clients', { name, scopes, ...more }), tokenSeconds);
  return {
    locationId: locationId as string,
    members: await Promise.all(Array.from({ length: members }, () => newMember(url))),
    turnstileClient: await client('Turnstile', ['check-in'], { locationId }),
    crmClient: await client('CRM', [
      'events:read',
      'webhooks',
      'visits:read',
      'members:read',
      'occupancy:read',
    ]),
  };
}

async function newMember(url: string): Promise<DayMember> {
  for (;;) {
    const email = `${randomUUID()}@day.test`;
    const password = `pass-${randomUUID()}`;
    const account = { email, password, displayName: 'Ada', gymId: DEMO_GYMS.ironTemple.id };
    const { status, body } = await request(`${url}/identity/auth/register`, 'POST', { body: account });
    if (status === 409) continue; // the platform was killed before it could answer the first request
    if (status !== 201) throw new Error(`a registration was refused: ${status} ${JSON.stringify(body)}`);
    const login = await request(`${url}/identity/auth/login`, 'POST', { body: { email, password } });
    return { id: body.id, qrCode: body.qrCode, token: login.body.token };
  }
}

/** New members register, and change their names. */
class Office {
  readonly acknowledged: Acknowledged[] = [];
  private readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  async registerWhile(goesOn: () => boolean, pauseMillis: number): Promise<void> {
    while (goesOn()) {
      const { id, token } = await newMember(this.url);
      const subject = `member/${id}`;
      this.acknowledged.push({ subject, type: 'member.joined' });
      const { status } = await request(`${this.url}/identity/profile`, 'PUT', {
        token,
        body: { displayName: 'Ada L.' },
      });
      if (status === 200) this.acknowledged.push({ subject, type: 'member.updated' });
      await sleep(pauseMillis);
    }
  }
}
