import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '#server/http/free-ports.ts';
import { ANY_PORTS, startProcess, type StartedProcess } from '../../support/process.ts';
import { violations } from './checks.ts';
import { Crm } from './crm.ts';
import { openGym } from './gym.ts';
import { Office } from './office.ts';
import { DayReceiver, MODES, type PublicEvent } from './receiver.ts';
import { Turnstile } from './turnstile.ts';

export interface DaySizes {
  /** The day ends when the turnstiles have made so many scans, and every fault has happened. */
  scans: number;
  /** Of both turnstiles together. */
  scansPerSecond: number;
  members: number;
  /** How long the receiver behaves in each way. */
  modeSeconds: number;
  /** How often the whole platform is killed, with its database. */
  kills: number;
  /** The age of a token at which the integrators renew it, in seconds. */
  tokenSeconds: number;
  /** How long the CRM waits for the platform's own attempts at the end, before it replays. */
  patienceSeconds: number;
}

export interface DayReport {
  violations: string[];
  figures: Record<
    | 'scans'
    | 'events'
    | 'levelChanges'
    | 'requests'
    | 'acknowledged'
    | 'tokens'
    | 'kills'
    | 'replayed'
    | 'secondsUntilSettled'
    | 'seconds',
    number
  > & {
    /** Whether the CRM had to replay what had not come in time. */
    hadToReplay: boolean;
  };
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

/** Runs a day of a gym's systems, over HTTP only, and compares what they saw with what the platform promises. */
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
    const turnstiles = twoTurnstiles(gym, sizes);
    const scans = () => turnstiles.reduce((sum, one) => sum + one.scans, 0);
    let isOver = false;
    const goesOn = () => !isOver;
    const office = new Office(platform.url, gym.productId);
    const work = [
      ...turnstiles.map((turnstile) => turnstile.scanWhile(goesOn)),
      office.registerWhile(goesOn, 1_000),
      crm.readWhile(goesOn),
    ];
    const day = async () => {
      await letThingsHappen({ platform, receiver, crm }, sizes);
      while (scans() < sizes.scans) await sleep(50);
    };
    await Promise.race([day(), Promise.all(work)]); // a failure of the work ends the day at once
    isOver = true;
    await Promise.all(work);
    const endedAt = Date.now();
    const hadToReplay = await crm.settle(sizes.patienceSeconds * 1_000);
    const secondsUntilSettled = Math.round((Date.now() - endedAt) / 1_000);
    const acknowledged = [...turnstiles, office].flatMap((one) => one.acknowledged);
    const { feed, replays } = crm;
    const { received, followed } = receiver;
    return {
      violations: violations({
        acknowledged,
        feed,
        replays,
        received,
        followed,
        deliveries: await crm.deliveries(),
      }),
      figures: {
        scans: scans(),
        events: feed.length,
        levelChanges: feed.filter(({ type }) => type === 'occupancy.level_changed').length,
        replayed: replays.reduce((sum, { eventIds }) => sum + eventIds.length, 0),
        hadToReplay,
        secondsUntilSettled,
        requests: received.length,
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

/** The parts of the day, by the behaviour of the receiver. In the last one the platform sends what has waited. */
const PARTS = [...MODES, 'healthy'] as const;
/** The part at whose beginning the CRM requests the events of the first part again. */
const REPLAYED_IN = PARTS.indexOf('slow');
/** The share of a part after which the platform may be killed. In the last part it is then sending what has waited. */
const KILLED_AFTER = 0.1;

/** The receiver behaves in each way for some time. Meanwhile the platform is killed, and the CRM requests a replay. */
async function letThingsHappen(
  { platform, receiver, crm }: { platform: DayPlatform; receiver: DayReceiver; crm: Crm },
  { modeSeconds, kills }: DaySizes,
): Promise<void> {
  const part = modeSeconds * 1_000;
  let firstEvents: PublicEvent[] = [];
  for (const [index, mode] of PARTS.entries()) {
    if (index === 1) firstEvents = crm.feed.slice();
    await receiver.become(mode);
    if (index === REPLAYED_IN && firstEvents.length > 0) await crm.replay(firstEvents);
    await sleep(part * KILLED_AFTER);
    while (platform.kills < Math.floor(((index + 1) * kills) / PARTS.length)) await platform.killAndRestart();
    await sleep(part * (1 - KILLED_AFTER)); // the length of the fault
  }
}

/** Two turnstiles, each with half of the members. */
function twoTurnstiles(
  { members, locationId, turnstileClient }: OpenedGym,
  { scans, scansPerSecond }: DaySizes,
): Turnstile[] {
  const half = Math.ceil(members.length / 2);
  const day = { scans: scans / 2, scansPerSecond: scansPerSecond / 2 };
  return [members.slice(0, half), members.slice(half)].map(
    (some) => new Turnstile(turnstileClient, { locationId, members: some, day }),
  );
}

type OpenedGym = Awaited<ReturnType<typeof openGym>>;
