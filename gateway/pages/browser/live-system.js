// Occupancy and events as they happen, beside and in the picture of the system. It logs in with a demo account, whose password
// is public; without demo data the page does not load this module.
import { createSession } from '../explorer/app/session.js';
import { createClient } from '../explorer/graphql-ws/client.js';

const MAX_EVENTS = 12;
const WAIT_SECONDS = 20; // of one request for events
const RETRY_MILLIS = 5_000; // 5 s, after a failed request
const GYMS = '{ gyms { name locations { id name capacity occupancy { people } } } }';
/** How many locations are shown; each is a subscription. */
const MAX_LOCATIONS = 10;
const OCCUPANCY = 'subscription ($id: ID!) { occupancyChanged(locationId: $id) { people } }';
/** The services whose events do not begin with the gym's own names. */
const SERVICE_OF = { member: 'identity', product: 'content', gym: 'wizard' };

/** Events so far, by service. */
const counts = {};
const picture = document.querySelector('.system');
const { account } = document.getElementById('live-system').dataset;

await follow(JSON.parse(account));

async function follow({ email, password }) {
  const session = createSession(new URL('graphql', document.baseURI).href);
  await untilDone(async () => {
    if (!session.user) await session.logIn(email, password);
    await showOccupancy(session);
    showState('Live');
  });
  addEventListener('pagehide', () => void session.logOut());
  await followEvents(session);
}

async function showOccupancy(session) {
  const answer = await fetch('graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: await session.freshAuthorization() },
    body: JSON.stringify({ query: GYMS }),
  });
  const { data } = await answer.json();
  const client = createClient({
    url: new URL('graphql', document.baseURI).href.replace(/^http/, 'ws'),
    connectionParams: async () => ({ Authorization: await session.freshAuthorization() }),
    shouldRetry: () => true,
    retryAttempts: Infinity,
  });
  const list = document.getElementById('occupancy');
  list.replaceChildren();
  const rows = data.gyms.flatMap((gym) => gym.locations.map((location) => ({ gym, location })));
  for (const { gym, location } of rows.slice(0, MAX_LOCATIONS))
    list.append(locationRow(client, gym, location));
}

function locationRow(client, gym, { id, name, capacity, occupancy }) {
  const row = document.createElement('li');
  const title = document.createElement('span');
  title.textContent = `${gym.name}, ${name}`;
  const people = document.createElement('b');
  const bar = Object.assign(document.createElement('meter'), { min: 0, max: capacity, high: capacity * 0.9 });
  bar.setAttribute('aria-label', `People in ${gym.name}, ${name}`);
  const show = (count) => {
    people.textContent = `${count} of ${capacity}`;
    bar.value = count;
  };
  show(occupancy?.people ?? 0);
  row.append(title, people, bar);
  client.subscribe(
    { query: OCCUPANCY, variables: { id } },
    {
      next: (event) => event.data?.occupancyChanged && show(event.data.occupancyChanged.people),
      error: () => (people.textContent += ' (not live)'),
      complete: () => undefined,
    },
  );
  return row;
}

async function followEvents(session) {
  let after = 'latest';
  let total = 0;
  for (;;)
    await untilDone(async () => {
      const answer = await fetch(`gym/events?after=${encodeURIComponent(after)}&wait=${WAIT_SECONDS}`, {
        headers: { Authorization: await session.freshAuthorization() },
      });
      if (!answer.ok) throw new Error(`the feed answered ${answer.status}`);
      const { events, next } = await answer.json();
      after = next;
      for (const event of events) showEvent(event, (total += 1));
      showState('Live');
    });
}

function showEvent({ type, occurredAt, subject }, total) {
  const row = document.createElement('li');
  const name = document.createElement('code');
  name.textContent = type;
  const time = document.createElement('time');
  time.dateTime = occurredAt;
  time.textContent = new Date(occurredAt).toLocaleTimeString([], { hour12: false });
  row.append(time, ' ', name);
  row.title = subject;
  const list = document.getElementById('events');
  document.getElementById('no-events')?.remove();
  list.prepend(row);
  while (list.children.length > MAX_EVENTS) list.lastElementChild.remove();
  document.querySelector('[data-live-total]').textContent = `${total} event${total === 1 ? '' : 's'}`;
  pulse(SERVICE_OF[type.split('.')[0]] ?? 'gym');
}

function pulse(service) {
  counts[service] = (counts[service] ?? 0) + 1;
  const count = picture.querySelector(`[data-count="${service}"]`);
  count.textContent = `${counts[service]} event${counts[service] === 1 ? '' : 's'}`;
  const dot = picture.querySelector(`[data-pulse="${service}"]`);
  dot.classList.remove('moving');
  void dot.getBoundingClientRect(); // so that the animation begins again
  dot.classList.add('moving');
}

/** Set only if it changes, because a screen reader reads out every change. */
function showState(text) {
  const line = document.getElementById('live-state');
  if (line.textContent !== text) line.textContent = text;
}

async function untilDone(work) {
  for (;;) {
    try {
      return await work();
    } catch {
      showState('Not connected; trying again');
      await new Promise((resolve) => setTimeout(resolve, RETRY_MILLIS));
    }
  }
}
