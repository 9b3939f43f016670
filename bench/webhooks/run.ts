/**
 * Webhooks at a constant rate of events: `npm run bench:webhooks`.
 *
 * 1. The share of 20,000 events that reaches a receiver within 5 s, at 200 events a second, while a second receiver never
 *    answers. `EVENTS=2000 EVENTS_A_SECOND=100` measures less.
 * 2. The processor time of a check-in (two events: one visit ends, another one begins) at three gym services, which take
 *    turns: one that writes no events, one that writes them, and one that also sends them to a receiver.
 *    `ROUNDS=9 CHECK_INS=1000` measures longer.
 *
 * `ONLY=delivery` or `ONLY=cost` measures only the first or the second.
 */
import { Load, median, percentile } from '../gateway/load.ts';
import { post } from '../platform/people.ts';
import { hangingReceiver, notingReceiver } from './receivers.ts';
import { checkIns, MEMBERS, Stacks, type Cpu, type GymStack } from './stacks.ts';

const EVENTS = Number(process.env.EVENTS ?? 20_000);
const EVENTS_A_SECOND = Number(process.env.EVENTS_A_SECOND ?? 200);
const ROUNDS = Number(process.env.ROUNDS ?? 7);
const CHECK_INS = Number(process.env.CHECK_INS ?? 600);
const ONLY = process.env.ONLY ?? '';
const CONNECTIONS = 16;
const PROMISED_MILLIS = 5_000; // 5 s
const WARM_UP_SECONDS = 5;
const TYPES = ['check_in.opened', 'check_in.closed'];

const stacks = await Stacks.open();
try {
  if (ONLY !== 'cost') await measureDelivery();
  if (ONLY !== 'delivery') await measureCost();
} finally {
  await stacks.stop();
}

async function addWebhook(gym: GymStack, url: string): Promise<void> {
  await post(`${gym.url}/webhooks`, await stacks.staff(), { url, types: TYPES });
}

async function measureDelivery(): Promise<void> {
  const gym = await stacks.gym('delivery');
  const receiver = await notingReceiver();
  const hanging = await hangingReceiver();
  const load = new Load({
    ...checkIns(gym, await stacks.codes(), await stacks.staff()),
    connections: CONNECTIONS,
  });
  await load.steady(WARM_UP_SECONDS, EVENTS_A_SECOND / 2);
  await addWebhook(gym, receiver.url);
  await addWebhook(gym, hanging.url);
  const before = gym.cpu();
  const { requests, failures, latencies } = await load.steady(EVENTS / EVENTS_A_SECOND, EVENTS_A_SECOND / 2);
  load.close();
  const sent = 2 * requests;
  await received(receiver.ages, sent, 60_000);
  const cpu = since(before, gym.cpu());
  const inTime = [...receiver.ages.values()].filter((age) => age <= PROMISED_MILLIS).length;
  const ages = [...receiver.ages.values()].toSorted((a, b) => a - b);
  console.log(`\n${sent} events, ${EVENTS_A_SECOND} a second; ${failures} check-ins failed`);
  console.log(`  received ${receiver.ages.size}, within 5 s ${((100 * inTime) / sent).toFixed(3)} %`);
  console.log(`  age at the arrival: ${quantiles(ages)}`);
  console.log(`  check-in: ${quantiles(latencies)}`);
  console.log(`  requests to the receiver that hangs: ${hanging.requests()}`);
  console.log(
    `  processor time per check-in: gym ${(cpu.gym / requests).toFixed(2)} ms, database ${(cpu.database / requests).toFixed(2)} ms`,
  );
  receiver.stop();
  hanging.stop();
}

async function measureCost(): Promise<void> {
  const token = await stacks.staff();
  const variant = async (name: string, gym: GymStack) => ({
    name,
    gym,
    load: new Load({ ...checkIns(gym, await stacks.codes(), token), connections: CONNECTIONS }),
  });
  const variants = [
    await variant('no events', await stacks.gym('silent', ['bench/webhooks/without-events.ts'])),
    await variant('events', await stacks.gym('events')),
    await variant('events and a webhook', await stacks.gym('webhooks')),
  ];
  const receiver = await notingReceiver();
  const sending = variants[2];
  if (sending) await addWebhook(sending.gym, receiver.url);
  const costs = new Map<string, Cpu[]>(variants.map(({ name }) => [name, []]));
  for (let round = -2; round < ROUNDS; round += 1)
    // two rounds to warm up
    for (const { name, gym, load } of round % 2 === 0 ? variants : variants.toReversed()) {
      const before = gym.cpu();
      const known = receiver.ages.size;
      const { requests, failures } = await load.steady(
        CHECK_INS / (EVENTS_A_SECOND / 2),
        EVENTS_A_SECOND / 2,
      );
      if (failures > 0) throw new Error(`${failures} check-ins failed`);
      // Members who were in no hall before have one event only.
      if (gym === sending?.gym) await received(receiver.ages, known + 2 * requests - MEMBERS, 30_000);
      const { gym: own, database } = since(before, gym.cpu());
      if (round >= 0) costs.get(name)?.push({ gym: own / requests, database: database / requests });
    }
  for (const { load } of variants) load.close();
  receiver.stop();
  const [base = []] = costs.values();
  console.log(
    `\nprocessor time of a check-in, ${ROUNDS} rounds of ${CHECK_INS}, ${EVENTS_A_SECOND / 2} a second`,
  );
  for (const [name, rounds] of costs) {
    const of = (part: keyof Cpu) => median(rounds.map((round) => round[part]));
    const more = (part: keyof Cpu) =>
      median(rounds.map((round, at) => (round[part] / (base[at]?.[part] ?? 1) - 1) * 100));
    console.log(
      `  ${name.padEnd(22)} gym ${of('gym').toFixed(2)} ms (+${more('gym').toFixed(0)} %), ` +
        `database ${of('database').toFixed(2)} ms (+${more('database').toFixed(0)} %)`,
    );
  }
}

/** Waits until the receiver has so many events, or for `millis`. */
async function received(ages: ReadonlyMap<string, number>, count: number, millis: number): Promise<void> {
  for (const until = Date.now() + millis; ages.size < count && Date.now() < until;)
    await new Promise((resolve) => setTimeout(resolve, 20));
}

function since(before: Cpu, now: Cpu): Cpu {
  return { gym: now.gym - before.gym, database: now.database - before.database };
}

function quantiles(sorted: readonly number[]): string {
  const shares = { p50: 0.5, p99: 0.99, 'p99.99': 0.9999, longest: 1 };
  return Object.entries(shares)
    .map(([name, share]) => `${name} ${percentile(sorted, share).toFixed(0)} ms`)
    .join(', ');
}
