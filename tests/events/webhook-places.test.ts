import type { ServerResponse } from 'node:http';
import { expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { runScheduled } from '../support/jobs.ts';
import { WebhookTests } from './webhook-tests.ts';

const tests = new WebhookTests();
const { receiver, webhook, got } = tests;

/** As many as a gym may have. Each may have 16 running attempts, which together are all places of a replica. */
const WEBHOOKS = 20;

async function publishEvents(count: number): Promise<void> {
  await tests.platform.sql(
    'gym',
    `insert into event_outbox (id, type, gym_id, subject, people, occurred_at, data)
     select gen_random_uuid(), 'gym.deployed', $1, 'gym/' || gen_random_uuid(), '{}', now(), '{}'
     from generate_series(1, $2)`,
    [DEMO_GYMS.ironTemple.id, count],
  );
  await runScheduled(tests.platform, 'gym', 'publish_events');
}

/** Whether a webhook gets its event before the first attempt for one of 20 others has ended. */
async function isSentBesideSlowOnes(): Promise<boolean> {
  let ended = 0;
  const held: ServerResponse[] = [];
  const slow = await receiver((_request, response) => {
    held.push(response);
    response.on('close', () => (ended += 1));
  });
  const fast = await receiver();
  for (let count = 0; count < WEBHOOKS; count += 1) await webhook(slow.url, { types: ['gym.deployed'] });
  await publishEvents(16);
  await got(slow, 256);
  await webhook(fast.url, { types: ['gym.deployed'], gymId: null }, tests.superAdmin);
  await publishEvents(1);
  await got(fast, 1);
  const isSentBefore = ended === 0;
  for (const response of held) response.writeHead(204).end();
  await tests.platform.sql('gym', 'delete from webhook', []);
  return isSentBefore;
}

// An attempt ends after 10 s. A slow machine may need longer for 256 attempts, so it is tried again.
it('a webhook gets its event while the receivers of 20 others have not answered yet', async () => {
  expect(
    (await isSentBesideSlowOnes()) || (await isSentBesideSlowOnes()) || (await isSentBesideSlowOnes()),
  ).toBe(true);
});

it('a webhook has at most 16 attempts at the same time, also if its events are sent again meanwhile', async () => {
  let open = 0;
  let most = 0;
  const held: ServerResponse[] = [];
  const slow = await receiver((_request, response) => {
    held.push(response);
    open += 1;
    most = Math.max(most, open);
    response.on('close', () => (open -= 1));
  });
  const fast = await receiver();
  const from = new Date();
  const { id } = await webhook(slow.url, { types: ['gym.deployed'] });
  await publishEvents(20);
  await got(slow, 16);
  for (let replay = 1; replay <= 3; replay += 1) {
    const body = { from, to: new Date(Date.now() + 1_000) };
    expect((await tests.call('POST', `/webhooks/${id}/replay`, body)).status).toBe(202);
    // Its event is sent in a round of the dispatcher that is later than the replay.
    await webhook(fast.url, { types: ['gym.deployed'], gymId: null }, tests.superAdmin);
    const before = fast.requests.length;
    await publishEvents(1);
    await got(fast, before + replay);
  }
  expect(most).toBe(16);
  for (const response of held) response.writeHead(204).end();
});
