import { DEMO_GYMS, demoId, demoPerson } from '#server/demo-ids.ts';
import { DAY_MILLIS } from '#server/durations.ts';
import { mailedToken, verificationToken } from '../identity/support.ts';
import { eventually } from '../support/eventually.ts';
import { pictures } from '../support/pictures.ts';
import type { Recorder } from './recorder.ts';

const STAFF = 'admin@iron.test';
const SUPER = 'super@demo.test';
const gymId = DEMO_GYMS.ironTemple.id;
const NORA = { email: 'nora@iron.test', password: 'a-good-password', displayName: 'Nora' };

export async function identityExamples(recorder: Recorder): Promise<void> {
  const nora = await account(recorder);
  await profile(recorder, nora.token);
  await staffExamples(recorder, nora.id);
  await imports(recorder);
  await machineClients(recorder);
  await personalData(recorder, nora.token);
  const { record } = recorder;
  await joining(recorder);
  await record('getSigningKeys', { as: 'nobody' });
  await record('rotateSigningKey', { as: SUPER });
  await record('removeReferences', { as: 'gym', params: { typeName: 'Gym', id: demoId('999', 1) } });
}

async function account({ platform, record, send }: Recorder): Promise<{ id: string; token: string }> {
  const { id } = await record('register', { as: 'nobody', body: { ...NORA, gymId } });
  const { email, password } = NORA;
  await record('verifyEmail', {
    as: 'nobody',
    body: { token: await verificationToken(platform, email) },
  });
  const first = await record('logIn', { as: 'nobody', body: { email, password } });
  await record('resendVerification', { as: { token: first.token as string } });
  await record('refreshTokens', { as: 'nobody', body: { refreshToken: first.refreshToken } });
  await record('requestPasswordReset', { as: 'nobody', body: { email } });
  await record('confirmPasswordReset', {
    as: 'nobody',
    body: { token: await mailedToken(platform, email), password: 'another-good-password' },
  });
  const logIn = () => send('logIn', { as: 'nobody', body: { email, password: 'another-good-password' } });
  const { token } = await logIn();
  const { refreshToken } = await logIn();
  await record('changeMyPassword', {
    as: { token },
    body: { current: 'another-good-password', password: 'the-best-password' },
  });
  await record('logOut', { as: { token }, body: { refreshToken } });
  const current = await send('logIn', { as: 'nobody', body: { email, password: 'the-best-password' } });
  await send('logIn', { as: 'nobody', body: { email, password: 'the-best-password' } });
  const as = { token: current.token as string };
  const sessions = await record('listMySessions', { as });
  const other = (sessions as { id: string; current?: boolean }[]).find((one) => !one.current);
  await record('endMySession', { as, params: { id: other?.id ?? '' } });
  await record('listEndedSessions', { as: 'gym' });
  return { id, token: as.token };
}

async function joining({ record, send }: Recorder): Promise<void> {
  const pia = { ...NORA, email: 'pia@iron.test', displayName: 'Pia' };
  await send('register', { as: 'nobody', body: pia });
  const { token } = await send('logIn', { as: 'nobody', body: { email: pia.email, password: pia.password } });
  await record('joinGym', { as: { token: token as string }, params: { id: gymId } });
}

async function profile({ record, send }: Recorder, token: string): Promise<void> {
  const as = { token };
  await record('getMyAccount', { as });
  await record('getMyProfile');
  await record('updateMyProfile', {
    as,
    body: { bio: 'Rower', locale: 'de', timezone: 'Europe/Berlin', units: 'METRIC' },
  });
  await record('getMyQrCodeAsSvg');
  await record('getMyQrCodeAsPng');
  const { code } = await record('getMyShortLivedQrCode', { as });
  await record('resolveQrCode', { as: 'gym', params: { qrCode: code } });
  await record('rotateMyQrCode', { as });
  const { avatar } = await record('uploadMyAvatar', {
    as,
    form: { avatar: await pictures.normal('png', 256, 256) },
  });
  await record('getAvatar', { as: 'nobody', params: { file: String(avatar).split('/').at(-1) ?? '' } });
  const { qrCode } = await send('getMyProfile');
  await record('getUserByQrCode', { as: 'gym', params: { qrCode } });
  await record('lookUpUsers', { as: 'gym', body: { ids: [demoPerson('maya@iron.test').id] } });
  await record('checkEmailAvailability', { as: 'wizard', query: { email: 'new@iron.test' } });
}

async function staffExamples(recorder: Recorder, userId: string): Promise<void> {
  const { record, send } = recorder;
  await record('listUsers', { as: STAFF, query: { limit: 2 } });
  await record('listSuperAdmins');
  await record('getUser', { as: STAFF, params: { id: demoPerson('maya@iron.test').id } });
  const invited = await record('inviteUser', {
    as: STAFF,
    body: { email: 'kim@iron.test', displayName: 'Kim' },
  });
  await record('listInvitations', { as: STAFF, query: { limit: 2 } });
  await record('resendInvitation', { as: STAFF, params: { id: invited.id } });
  await record('withdrawInvitation', { as: STAFF, params: { id: invited.id } });
  const { id } = await send('register', {
    as: 'nobody',
    body: { ...NORA, email: 'lou@iron.test', displayName: 'Lou', gymId },
  });
  const until = new Date(Date.now() + 30 * DAY_MILLIS).toISOString();
  await record('setUserMembership', {
    as: STAFF,
    params: { id },
    body: { status: 'FROZEN', until, reason: 'A broken leg' },
  });
  await record('listMemberships', { as: 'gym', query: { userIds: id } });
  await suspensions(recorder, id);
  await record('setUserRole', { as: SUPER, params: { id }, body: { role: 'GYM_ADMIN' } });
  await record('setUserGym', { as: SUPER, params: { id }, body: { gymId: DEMO_GYMS.aquaClub.id } });
  await record('listAuditEvents', { as: SUPER, query: { limit: 2 } });
  await record('listAccountAuditEvents', { as: STAFF, query: { from: '2026-01-01', limit: 2 } });
  await send('getUser', { as: STAFF, params: { id: userId } });
}

async function suspensions({ platform, record }: Recorder, id: string): Promise<void> {
  await record('setUserSuspension', {
    as: SUPER,
    params: { id },
    body: { suspended: true, reason: 'Abuse of other members' },
  });
  await platform.rest('identity', 'PUT', `/users/${id}/suspension`, {
    token: await platform.demo(SUPER),
    body: { suspended: false },
  });
}

async function imports({ record }: Recorder): Promise<void> {
  const { id } = await record('importUsers', {
    as: STAFF,
    type: 'application/x-ndjson',
    body: '{"email": "rosa@iron.test", "displayName": "Rosa"}\n{"email": "nobody", "displayName": "Nobody"}\n',
  });
  await record('getUserImport', { as: STAFF, params: { id }, query: { status: 'FAILED' } });
  await record('mailMember', {
    as: 'gym',
    body: { userId: demoPerson('leo@iron.test').id, subject: 'You have a place', text: 'See you on Monday.' },
  });
  await record('mailStaff', {
    as: 'gym',
    body: { gymId, subject: 'A webhook was switched off', text: 'It failed for 3 days.' },
  });
}

async function machineClients({ record }: Recorder): Promise<void> {
  const client = await record('createApiClient', {
    as: STAFF,
    body: {
      name: 'Turnstile at Forge',
      scopes: ['check-in', 'occupancy:read'],
      locationId: demoId('301', 1),
    },
  });
  await record('listApiClients', { as: STAFF, query: { limit: 2 } });
  await record('getClientToken', {
    as: 'nobody',
    body: {
      grant_type: 'client_credentials',
      client_id: client.id,
      client_secret: client.secret,
      scope: 'check-in',
    },
  });
  await record('rotateApiClientSecret', { as: STAFF, params: { id: client.id } });
  await record('deleteApiClient', { as: STAFF, params: { id: client.id } });
}

async function personalData({ platform, record }: Recorder, token: string): Promise<void> {
  const as = { token };
  await record('exportMyData', { as });
  const { id } = await record('requestMyExport', { as });
  await eventually(async () => {
    const { body } = await platform.rest('identity', 'GET', `/users/me/exports/${id}`, { token });
    return body.finishedAt !== null && body;
  }, 25_000);
  await record('getMyExport', { as, params: { id } });
  await record('listMyExports', { as });
  await record('getMyExportDocument', { as, params: { id } });
  await record('deleteMyAccount', { as, body: { password: 'the-best-password' } });
  const [{ id: deletion } = { id: '' }] = await platform.sql<{ id: string }>(
    'identity',
    'select id from account_deletion order by id desc limit 1',
    [],
  );
  await eventually(async () => {
    const { body } = await platform.rest('identity', 'GET', `/account-deletions/${deletion}`);
    return body.finishedAt !== null;
  }, 25_000);
  await record('getDeletionReceipt', { as: 'nobody', params: { id: deletion } });
}
