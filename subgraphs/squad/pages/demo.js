/* oxlint-disable unicorn/prefer-add-event-listener -- each of these has one listener */
// The live page. It uses the raw socket; only the log-in, names (identity) and exercises (content) come over REST.
const $ = (id) => document.getElementById(id);
const throughGateway = location.pathname.startsWith('/squad/');
const urlOf = (service) =>
  throughGateway
    ? `/${service}`
    : `${location.protocol}//${location.hostname}:${document.body.dataset[`${service}Port`]}`;
const identity = urlOf('identity');
const socketUrl = `${location.protocol.replace('http', 'ws')}//${location.host}${throughGateway ? '/squad' : ''}/socket`;
const PASSWORD = 'demo-password-1';

let me;
let socket;
let session;
let lastMessage = 0;
let people = new Map();
let retryMillis = 250;
const names = new Map();
const pending = new Map();
const invites = new Map();
/** The element with the text of each message that is shown, by the message's id. */
const messageItems = new Map();
let nextId = 1;

for (const account of document.querySelectorAll('[data-email]'))
  account.onclick = () =>
    logIn(account.dataset.email).catch((error) => ($('log-in-error').textContent = error.message));

async function logIn(email) {
  const answer = await fetch(`${identity}/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD }),
  }).catch(() => undefined);
  if (!answer) throw new Error(`The identity service does not answer at ${identity}.`);
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.detail ?? 'The log-in failed.');
  me = {
    ...body.user,
    token: body.token,
    refreshToken: body.refreshToken,
    expiresAt: Date.now() + body.expiresIn * 1000,
  };
  names.set(me.id, me.displayName);
  $('my-name').textContent = me.displayName;
  $('my-avatar').textContent = me.displayName[0];
  $('log-in').hidden = true;
  $('floor').hidden = $('me').hidden = false;
  connect();
}

async function renewToken() {
  if (me.expiresAt - Date.now() > 60_000) return;
  const answer = await fetch(`${identity}/auth/refresh`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ refreshToken: me.refreshToken }),
  });
  if (!answer.ok) return location.reload();
  const body = await answer.json();
  Object.assign(me, {
    token: body.token,
    refreshToken: body.refreshToken,
    expiresAt: Date.now() + body.expiresIn * 1000,
  });
  if (socket.readyState === WebSocket.OPEN) await send('authenticate', { token: me.token });
}
setInterval(() => me && renewToken().catch(() => undefined), 20_000);

function connect() {
  socket = new WebSocket(socketUrl, 'squad.v1');
  socket.onopen = async () => {
    await renewToken().catch(() => undefined);
    await send('authenticate', { token: me.token });
    showConnection('online');
    retryMillis = 250;
    onOnlineUsers(await send('user_online', { status: session ? 'WORKING_OUT' : 'AVAILABLE', delta: true }));
    // The ack contains the events that happened while the connection was lost.
    if (session) await joinSquad(session.id, session.revision);
    else await returnToSquad();
  };
  socket.onmessage = ({ data }) => receive(JSON.parse(data));
  socket.onclose = () => {
    showConnection('reconnecting');
    for (const { reject } of pending.values())
      reject(new Error('The connection was lost; this page connects again.'));
    pending.clear();
    setTimeout(connect, retryMillis);
    retryMillis = Math.min(retryMillis * 2, 5_000);
  };
}

function send(event, data) {
  const id = nextId++;
  return new Promise((resolve, reject) => {
    pending.set(id, { resolve, reject });
    socket.send(JSON.stringify({ event, data, id }));
  });
}

const sendOrToast = (event, data) => send(event, data).catch((error) => toast(error.message));

function receive({ event, data, id }) {
  if (id !== undefined && pending.has(id)) {
    const { resolve, reject } = pending.get(id);
    pending.delete(id);
    return event === 'error' ? reject(new Error(data.message)) : resolve(data);
  }
  if (event === 'online_users_updated') onOnlineUsers(data);
  else if (event === 'squad_invite_received' || event === 'squad_invite_updated') onInvite(data.invite);
  else if (event === 'squad_message') void onMessage(data.message);
  else if (event === 'error') toast(data.message);
  else if (event.startsWith('squad_')) onSquadEvent(data);
}

function onOnlineUsers({ users, removed, full }) {
  if (full) people = new Map();
  for (const user of users) people.set(user.userId, user);
  for (const userId of removed) people.delete(userId);
  paint();
}

function onInvite(invite) {
  invites.set(invite.id, invite);
  if (invite.fromUserId === me.id && invite.status !== 'PENDING')
    void nameOf(invite.toUserId).then((name) => toast(`${name}: ${invite.status.toLowerCase()}`));
  paint();
}

/** Joins the open squad in which the user was when the page was closed. */
async function returnToSquad() {
  const squadId = localStorage.getItem(squadKey());
  if (!squadId) return;
  const isOpen = await send('join_squad', { squadId }).then(
    ({ session: found }) => found.status !== 'ENDED',
    () => false,
  );
  if (isOpen) await joinSquad(squadId);
  else localStorage.removeItem(squadKey());
}

const squadKey = () => `squad of ${me.id}`;

async function joinSquad(squadId, fromRevision) {
  // The earlier messages of the chat arrive before the ack.
  if (session?.id !== squadId) {
    lastMessage = 0;
    messageItems.clear();
    $('messages').replaceChildren();
  }
  const answer = await sendOrToast('join_squad', {
    squadId,
    ...(fromRevision !== undefined && { fromRevision }),
    fromMessage: fromRevision === undefined ? 0 : lastMessage,
  });
  if (!answer) return;
  session = answer.session;
  localStorage.setItem(squadKey(), squadId);
  await sendOrToast('user_online', { status: 'WORKING_OUT', activity: 'training with a squad', delta: true });
  paint();
}

// Each event contains the whole participant. An event that is known already is ignored.
function onSquadEvent(event) {
  if (!session || event.squadId !== session.id || event.revision <= session.revision) return;
  const others = session.participants.filter(({ userId }) => userId !== event.participant?.userId);
  session = {
    ...session,
    revision: event.revision,
    hostId: event.hostId,
    status: event.status,
    participants: event.participant
      ? [...others, event.participant].toSorted((a, b) => a.joinedAt.localeCompare(b.joinedAt))
      : session.participants,
  };
  const hasEnded = event.status === 'ENDED';
  if (hasEnded || (event.event === 'squad_left' && event.userId === me.id)) leftSquad(hasEnded);
  paint();
}

function leftSquad(hasEnded) {
  toast(hasEnded ? 'The squad has ended. It is in your history.' : 'You are no longer in the squad.');
  session = undefined;
  localStorage.removeItem(squadKey());
  void sendOrToast('user_online', { status: 'AVAILABLE', delta: true });
}

async function onMessage(message) {
  // A message that is deleted is sent again without its text, and replaces the one with the same id.
  const known = messageItems.get(message.id);
  if (known) known.textContent = textOf(message);
  if (message.seq <= lastMessage) return;
  lastMessage = message.seq;
  const text = element('span', '', textOf(message));
  messageItems.set(message.id, text);
  const item = element('li', message.userId === me.id ? 'mine' : '');
  item.append(element('small', '', await nameOf(message.userId)), text);
  $('messages').append(item);
  $('messages').scrollTop = 1e9;
}

const textOf = ({ deleted, text }) => (deleted ? 'This message was deleted.' : text);

async function nameOf(userId) {
  if (!names.has(userId)) {
    names.set(userId, userId.slice(0, 8));
    const answer = await fetch(`${identity}/users/${userId}`, {
      headers: { Authorization: `Bearer ${me.token}` },
    }).catch(() => undefined);
    if (answer?.ok) names.set(userId, (await answer.json()).displayName ?? userId.slice(0, 8));
    paint();
  }
  return names.get(userId);
}

function paint() {
  const inSquad = new Set(session?.participants.filter(({ leftAt }) => !leftAt).map(({ userId }) => userId));
  const online = [...people.values()];
  fill('online', [online, [...names], [...inSquad]], () =>
    online.map(({ userId, status, activity }) => {
      const item = element('li');
      item.dataset.userId = userId;
      const text = element('div', 'grow', userId === me.id ? `${nameNow(userId)} (you)` : nameNow(userId));
      text.append(
        element('small', '', activity ?? { AVAILABLE: 'ready to train', WORKING_OUT: 'working out' }[status]),
      );
      item.append(element('span', 'avatar', nameNow(userId)[0]), text);
      if (userId !== me.id && !inSquad.has(userId)) item.append(button('Invite', () => sendInvite(userId)));
      return item;
    }),
  );
  const open = [...invites.values()].filter(
    ({ toUserId, status }) => toUserId === me.id && status === 'PENDING',
  );
  $('invites-card').hidden = open.length === 0;
  fill('invites', [open, [...names]], () =>
    open.map(({ id, fromUserId, squadId }) => {
      const item = element('li');
      item.append(
        element('span', 'avatar', nameNow(fromUserId)[0]),
        element('div', 'grow', `${nameNow(fromUserId)} wants to train with you`),
      );
      item.append(
        button('Train', () => respond(id, true, squadId), 'primary'),
        button('No', () => respond(id, false)),
      );
      return item;
    }),
  );
  $('lobby').hidden = session !== undefined;
  $('squad').hidden = session === undefined;
  if (session) paintSquad();
}

function paintSquad() {
  const isHost = session.hostId === me.id;
  $('status').textContent = session.status;
  $('status').className = `pill ${session.status}`;
  $('revision').textContent = `revision ${session.revision}`;
  $('start').textContent = session.status === 'PAUSED' ? 'Resume' : 'Start';
  $('start').hidden = !isHost || session.status === 'ACTIVE';
  $('pause').hidden = !isHost || session.status !== 'ACTIVE';
  $('end').hidden = !isHost;
  for (const id of ['done-set', 'rest', 'next']) $(id).disabled = session.status === 'PAUSED';
  $('participants').replaceChildren(
    ...session.participants.map((one) => {
      const item = element('li', one.leftAt ? 'gone' : '');
      item.dataset.userId = one.userId;
      const text = element('div');
      text.append(
        element('b', '', nameNow(one.userId)),
        element(
          'small',
          '',
          ` ${one.userId === session.hostId ? 'host, ' : ''}exercise ${one.exerciseIndex + 1}, set ${one.setIndex + 1}${one.lastSet ? `, last ${one.lastSet.reps ?? 0} × ${one.lastSet.weightKg ?? 0} kg` : ''}`,
        ),
      );
      const dots = element('div', 'dots');
      for (let set = 0; set < Math.max(4, one.setIndex); set += 1)
        dots.append(element('i', set < one.setIndex ? '' : 'open'));
      text.append(dots);
      const rest = one.restEndsAt ? Math.ceil((Date.parse(one.restEndsAt) - Date.now()) / 1000) : 0;
      item.append(
        element('span', 'avatar', nameNow(one.userId)[0]),
        text,
        element(
          'span',
          `pill ${one.phase}`,
          one.leftAt ? 'left' : one.phase === 'REST' && rest > 0 ? `REST ${rest} s` : one.phase,
        ),
      );
      return item;
    }),
  );
}
setInterval(() => session && paintSquad(), 1_000);

async function sendInvite(toUserId) {
  const answer = await sendOrToast('send_squad_invite', {
    toUserId,
    ...(session && { squadId: session.id }),
  });
  if (!answer) return;
  toast(`Invite sent to ${nameNow(toUserId)}.`);
  if (!session) await joinSquad(answer.invite.squadId);
}

async function respond(inviteId, accept, squadId) {
  const answer = await sendOrToast('respond_squad_invite', { inviteId, accept });
  if (answer) onInvite(answer.invite);
  if (answer && accept) await joinSquad(squadId);
}

// Without a routine each update names its exercise: here exercises of the library, one after the other.
let exercises = [];
async function exerciseAt(index) {
  if (exercises.length === 0) {
    const answer = await fetch(`${urlOf('content')}/exercises?limit=200`).catch(() => undefined);
    const library = answer?.ok ? await answer.json() : [];
    exercises = library.filter(({ modality }) => modality === 'WEIGHT_REPS');
  }
  return exercises[index % Math.max(1, exercises.length)];
}

const mine = () => session.participants.find(({ userId }) => userId === me.id);
const update = async (change) => {
  const { exerciseIndex, setIndex, phase } = mine();
  const exercise = await exerciseAt(change.exerciseIndex ?? exerciseIndex);
  return sendOrToast('update_workout', {
    squadId: session.id,
    eventId: crypto.randomUUID(),
    exerciseIndex,
    setIndex,
    exerciseId: exercise?.id,
    phase,
    ...change,
  });
};
$('done-set').onclick = () =>
  update({
    setIndex: mine().setIndex + 1,
    phase: 'WORK',
    set: { reps: Number($('reps').value), weightKg: Number($('kg').value) },
  });
$('rest').onclick = () => update({ phase: 'REST', restEndsAt: new Date(Date.now() + 30_000).toISOString() });
$('next').onclick = () => update({ exerciseIndex: mine().exerciseIndex + 1, setIndex: 0, phase: 'WORK' });
for (const event of ['start', 'pause', 'end', 'leave'])
  $(event).onclick = () => sendOrToast(`${event}_squad`, { squadId: session.id });
$('log-out').onclick = () => location.reload();
$('write').onsubmit = (submitted) => {
  submitted.preventDefault();
  const text = $('text').value.trim();
  if (!text) return;
  $('text').value = '';
  void sendOrToast('send_squad_message', { squadId: session.id, text, clientId: crypto.randomUUID() });
};

/** What each list shows, as JSON, by the id of its element. */
const shown = new Map();
/** Replaces a list only if it has changed: a click on a button that is replaced meanwhile would be lost. */
function fill(id, what, make) {
  const key = JSON.stringify(what);
  if (shown.get(id) === key) return;
  shown.set(id, key);
  $(id).replaceChildren(...make());
}
const nameNow = (userId) => (names.has(userId) || void nameOf(userId), names.get(userId) ?? '…');
function element(tag, className = '', text = '') {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}
function button(text, onclick, className = '') {
  const made = element('button', className, text);
  made.onclick = onclick;
  return made;
}
function showConnection(state) {
  $('link').textContent = state;
  $('link').className = `pill ${state}`;
}
let toastTimer;
function toast(text) {
  $('toast').textContent = text;
  $('toast').classList.add('shown');
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => $('toast').classList.remove('shown'), 3_000);
}
