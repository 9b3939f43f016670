import { wordsFor } from './answers.js';
import { hasCamera, watchCamera } from './camera.js';
import { connectionOf, NotConnected, pictureUrl, Unreachable } from './connection.js';
import { queueOf } from './queue.js';
import { scans, settings } from './store.js';

const SHOWN_MILLIS = 6_000; // 6 s, then the page waits for the next member
const SAME_CODE_MILLIS = 3_000; // 3 s: a camera sees the same code many times
const OCCUPANCY_EVERY_MILLIS = 15_000; // 15 s
/** The answer to a scan that waited longer is not shown, because the member has gone. */
const STALE_MILLIS = 10_000; // 10 s

const $ = (id) => document.getElementById(id);
const IDLE = { kind: 'idle', title: 'Show your code', text: 'Hold the code of your app to the reader.' };

/** The connected device: its connection, location and queue; undefined before the set-up. */
let desk;
let idleTimer;
let last = { code: '', at: 0 };
let stopCamera;

function show({ kind, title, text, membership = '', member }) {
  clearTimeout(idleTimer);
  $('answer').dataset.kind = kind;
  $('title').textContent = title;
  $('text').textContent = text;
  $('membership').textContent = membership;
  $('picture').replaceChildren(...(member ? [pictureOf(member)] : []));
  if (kind === 'good' || kind === 'bad') idleTimer = setTimeout(() => show(IDLE), SHOWN_MILLIS);
}

function pictureOf({ avatar, displayName }) {
  const initial = document.createTextNode([...displayName][0] ?? '');
  if (!avatar) return initial;
  const image = new Image();
  image.alt = '';
  image.addEventListener('error', () => image.replaceWith(initial), { once: true });
  image.src = pictureUrl(avatar);
  return image;
}

function showNetwork({ waiting, isReachable }) {
  const saved = waiting === 1 ? '1 scan is saved' : `${waiting} scans are saved`;
  const text = isReachable ? 'Connected' : waiting > 0 ? `No connection: ${saved}` : 'No connection';
  // Set only if it changes, because a screen reader reads out every change.
  if ($('network').textContent !== text) $('network').textContent = text;
  $('network').dataset.state = isReachable ? 'connected' : 'offline';
}

async function refreshOccupancy() {
  if (!desk || document.hidden) return;
  try {
    const { status, body } = await desk.connection.call('GET', `/locations/${desk.location.id}/occupancy`);
    if (status !== 200) return;
    $('occupancy').hidden = false;
    $('occupancy').textContent = `${body.people} of ${body.capacity} inside`;
    $('occupancy').dataset.state = body.level.toLowerCase();
    if ((await scans.count()) === 0) showNetwork({ waiting: 0, isReachable: true });
  } catch (error) {
    if (error instanceof Unreachable) showNetwork({ waiting: await scans.count(), isReachable: false });
    else await onFailure(error);
  }
}

async function scan(code) {
  const text = code.trim();
  const now = Date.now();
  if (!desk || text === '' || (text === last.code && now - last.at < SAME_CODE_MILLIS)) return;
  last = { code: text, at: now };
  show({ kind: 'wait', title: 'One moment', text: 'Your code is being checked.' });
  const action = new FormData($('scan')).get('action');
  try {
    await desk.queue.add({ code: text, action, locationId: desk.location.id });
  } catch {
    show({ kind: 'bad', title: 'That did not work', text: 'Please ask at the desk.' }); // nothing can be stored
  }
}

const sender =
  (connection) =>
  ({ code, action, locationId, key }) =>
    connection.call('POST', `/locations/${action}`, {
      key,
      body: { qrCode: code, locationId, ...(action === 'check-in' && { source: 'kiosk' }) },
    });

function onAnswer(scanned, answer) {
  if (answer && Date.now() - scanned.at < STALE_MILLIS) show(wordsFor(scanned, answer));
  void refreshOccupancy();
}

function onState(state) {
  showNetwork(state);
  if (state.isReachable || $('answer').dataset.kind !== 'wait') return;
  show({ kind: 'wait', title: 'Your code is saved', text: 'There is no connection. It will be sent later.' });
  idleTimer = setTimeout(() => show(IDLE), SHOWN_MILLIS);
}

/** Stops the kiosk until staff connect the device again; the scans stay stored. */
async function onFailure(error) {
  const stopped = desk;
  desk = undefined;
  void stopped?.queue.stop();
  showSetup(error instanceof NotConnected ? error.message : 'Something went wrong; connect again.');
}

function showSetup(problem = '') {
  $('desk').hidden = true;
  $('occupancy').hidden = true;
  $('setup').hidden = false;
  $('setup-error').textContent = problem;
  $('place').textContent = 'Check-in';
  $('network').textContent = 'Not connected';
  $('network').dataset.state = 'offline';
  $('client').focus();
}

/** Starts the kiosk with these settings. Scans that were stored before a restart are sent now. */
async function begin({ location, ...credentials }) {
  await desk?.queue.stop();
  const connection = connectionOf(credentials);
  const maxAgeMillis = location.maxStayMinutes * 60_000;
  desk = {
    location,
    connection,
    queue: queueOf({ send: sender(connection), maxAgeMillis, onAnswer, onState, onFailure }),
  };
  $('setup').hidden = true;
  $('desk').hidden = false;
  $('place').textContent = location.name;
  show(IDLE);
  $('code').focus();
  await desk.queue.drain();
  await refreshOccupancy();
}

$('setup').addEventListener('submit', async (event) => {
  event.preventDefault();
  $('setup-error').textContent = '';
  const credentials = { clientId: $('client').value.trim(), secret: $('secret').value.trim() };
  try {
    const { status, body } = await connectionOf(credentials).call('GET', '/locations');
    if (status !== 200) throw new NotConnected(body.detail);
    const chosen = body.length === 1 ? body[0] : body.find(({ id }) => id === $('location').value);
    if (!chosen) return offer(body);
    const location = { id: chosen.id, name: chosen.name, maxStayMinutes: chosen.maxStayMinutes };
    await settings.write({ ...credentials, location });
    $('setup').reset();
    $('choice').hidden = true;
    await begin({ ...credentials, location });
  } catch (error) {
    $('setup-error').textContent =
      error instanceof NotConnected ? error.message : 'The platform does not answer; try again in a moment.';
  }
});

/** Lets the user choose the location of a client that is not limited to one. */
function offer(locations) {
  $('location').replaceChildren(...locations.map(({ id, name }) => new Option(name, id)));
  $('choice').hidden = locations.length === 0;
  $('setup-error').textContent =
    locations.length === 0 ? 'The client sees no location.' : 'Choose the location of this device.';
}

$('scan').addEventListener('submit', (event) => {
  event.preventDefault();
  const { value } = $('code');
  $('code').value = '';
  void scan(value);
});

// A code reader acts like a keyboard. A typed character moves the focus to the field for the code, wherever it was before.
document.addEventListener('keydown', (event) => {
  const isTyped =
    event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey && !event.altKey;
  if (isTyped && !$('desk').hidden && !$('confirm').open && event.target !== $('code')) $('code').focus();
});

$('type').addEventListener('click', () => {
  const isTyping = $('type').ariaPressed !== 'true';
  $('type').ariaPressed = String(isTyping);
  $('code').inputMode = isTyping ? 'text' : 'none'; // without this, the keyboard of a tablet covers half of the page
  $('code').focus();
});

$('camera').addEventListener('click', async () => {
  if (stopCamera) {
    stopCamera();
    stopCamera = undefined;
  } else
    stopCamera = await watchCamera($('video'), (code) => void scan(code)).catch(() => {
      show({ kind: 'bad', title: 'No camera', text: 'The browser does not give access to a camera.' });
      return undefined;
    });
  $('camera').ariaPressed = String(stopCamera !== undefined);
});

$('disconnect').addEventListener('click', async () => {
  const waiting = await scans.count();
  $('confirm-text').textContent =
    waiting > 0
      ? `Scans that were not sent yet will be lost: ${waiting}.`
      : 'The stored secret is removed from this browser.';
  $('confirm').returnValue = 'no';
  $('confirm').showModal();
});
$('confirm').addEventListener('close', async () => {
  if ($('confirm').returnValue !== 'yes') return;
  await desk?.queue.stop();
  desk = undefined;
  stopCamera?.();
  stopCamera = undefined;
  await Promise.all([settings.clear(), scans.clear()]);
  showSetup();
});

// The button is hidden from members. Staff add #setup to the page's address to see it.
const showDisconnect = () => ($('disconnect').hidden = location.hash !== '#setup');
addEventListener('hashchange', showDisconnect);
showDisconnect();

setInterval(refreshOccupancy, OCCUPANCY_EVERY_MILLIS);
addEventListener('offline', async () => showNetwork({ waiting: await scans.count(), isReachable: false }));
addEventListener('online', () => void refreshOccupancy());
// With the service worker, the page also opens while the network is gone. A page without TLS has no service worker: it must
// stay open.
const folder = location.pathname.replace(/\/$/, '');
void navigator.serviceWorker?.register(`${folder}/worker.js`, { scope: folder }).catch(() => undefined);
$('camera').hidden = !(await hasCamera().catch(() => false));
const stored = await settings.read();
if (stored) await begin(stored);
else showSetup();
