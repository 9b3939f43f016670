// The texts that the page shows for an answer of the service.

const REFUSALS = {
  LOCATION_FULL: ['It is full', 'Please wait until somebody leaves.'],
  LOCATION_CLOSED: ['We are closed', 'Please come back during the opening hours.'],
  MEMBERSHIP_INACTIVE: ['Your membership is not active', 'Please ask at the desk.'],
  QR_UNKNOWN: ['Unknown code', 'Open your app to show your current code.'],
  QR_EXPIRED: ['The code has expired', 'Show the code of your app again: it changes every minute.'],
  QR_POLICY: ['Please use your app', 'A stored or printed code is not accepted here.'],
  WRONG_GYM: ['This is another gym', 'Your membership belongs to another gym.'],
};
const MEMBERSHIP = { PENDING: 'not confirmed yet', ACTIVE: 'active', FROZEN: 'paused', ENDED: 'ended' };

/** @returns `{kind, title, text, membership?, member?}` */
export function wordsFor(scan, { status, body }) {
  if (status < 300) return scan.action === 'check-out' ? goodbye() : welcome(body);
  if (scan.action === 'check-out' && body.code === 'NOT_FOUND')
    return { kind: 'bad', title: 'Nobody to check out', text: 'There is no open visit with this code here.' };
  const [title, text] = REFUSALS[body.code] ?? [
    'That did not work',
    body.detail ?? 'Please ask at the desk.',
  ];
  return { kind: 'bad', title, text };
}

const goodbye = () => ({ kind: 'good', title: 'Goodbye', text: 'You are checked out.' });

function welcome({ duplicate, member }) {
  const name = member?.displayName;
  return {
    kind: 'good',
    title: name ? `Welcome, ${name}` : 'Welcome',
    text: duplicate ? 'You were checked in already.' : 'You are checked in.',
    membership: member?.membership ? membershipText(member.membership) : '',
    member,
  };
}

function membershipText({ status, until }) {
  const text = `Membership: ${MEMBERSHIP[status] ?? status.toLowerCase()}`;
  return until ? `${text} until ${new Date(until).toLocaleDateString()}` : text;
}
