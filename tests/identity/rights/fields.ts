import { DEMO_GYMS, demoPerson } from '#server/demo-ids.ts';
import type { Expected } from './callers.ts';

const leo = demoPerson('leo@iron.test');
const { ironTemple } = DEMO_GYMS;

export type Code = 'ok' | 'UNAUTHENTICATED' | 'FORBIDDEN' | 'NOT_FOUND' | 'CONFLICT' | 'VALIDATION_FAILED';
const loggedIn: Expected<Code> = { nobody: 'UNAUTHENTICATED', service: 'FORBIDDEN', others: 'ok' };
const superOnly: Expected<Code> = { nobody: 'UNAUTHENTICATED', superAdmin: 'ok', others: 'FORBIDDEN' };
/** An operation, and the code of its answer to each caller; `ok` if it has no error. */
export const FIELDS: [string, Expected<Code>][] = [
  ['{ me { id email } }', loggedIn],
  ['{ sessions { id } }', loggedIn],
  ['{ accountExports { id } }', loggedIn],
  ['mutation { requestAccountExport { id parts { service status } } }', loggedIn],
  [
    '{ users { nodes { id email } } }',
    {
      nobody: 'UNAUTHENTICATED',
      gymAdmin: 'ok',
      otherGymAdmin: 'ok',
      superAdmin: 'ok',
      others: 'FORBIDDEN',
    },
  ],
  [
    `{ users(gymId: "${ironTemple.id}") { nodes { id } } }`,
    { nobody: 'UNAUTHENTICATED', gymAdmin: 'ok', superAdmin: 'ok', others: 'FORBIDDEN' },
  ],
  ['{ superAdmins { id email } }', loggedIn],
  [
    '{ userByQrCode(qrCode: "FIT-x") { id } }',
    {
      nobody: 'UNAUTHENTICATED',
      member: 'FORBIDDEN',
      otherMember: 'FORBIDDEN',
      withoutGym: 'FORBIDDEN',
      others: 'ok',
    },
  ],
  ['{ auditEvents { nodes { id } } }', superOnly],
  [
    `{ accountAudit(gymId: "${ironTemple.id}") { nodes { id } } }`,
    { nobody: 'UNAUTHENTICATED', gymAdmin: 'ok', superAdmin: 'ok', others: 'FORBIDDEN' },
  ],
  ['{ myQr { code } }', loggedIn],
  [
    'mutation { updateProfile(input: { units: METRIC }) { id } }',
    { nobody: 'UNAUTHENTICATED', service: 'VALIDATION_FAILED', others: 'ok' },
  ],
  ['mutation { rotateQrCode { id } }', loggedIn],
  ['mutation { rotateSigningKey { kid } }', superOnly],
  [`mutation { setRole(input: { userId: "${leo.id}", role: MEMBER }) { id } }`, superOnly],
  [
    `mutation { setMembership(input: { userId: "${leo.id}", status: ACTIVE }) { id } }`,
    {
      nobody: 'UNAUTHENTICATED',
      gymAdmin: 'ok',
      superAdmin: 'ok',
      otherGymAdmin: 'NOT_FOUND',
      others: 'FORBIDDEN',
    },
  ],
  [`mutation { setSuspension(input: { userId: "${leo.id}", suspended: false }) { id } }`, superOnly],
  [
    `mutation { joinGym(input: { gymId: "01900000-0000-7000-8000-00000000ffff" }) { id } }`,
    {
      nobody: 'UNAUTHENTICATED',
      member: 'NOT_FOUND',
      otherMember: 'NOT_FOUND',
      withoutGym: 'NOT_FOUND',
      others: 'FORBIDDEN',
    },
  ],
  ['mutation { verifyEmail(input: { token: "x" }) }', { others: 'VALIDATION_FAILED' }],
  ['mutation { resendVerification }', loggedIn],
  [
    `mutation { setGym(input: { userId: "${leo.id}", gymId: "${ironTemple.id}" }) { id } }`,
    {
      nobody: 'UNAUTHENTICATED',
      gymAdmin: 'ok',
      superAdmin: 'ok',
      otherGymAdmin: 'NOT_FOUND',
      others: 'FORBIDDEN',
    },
  ],
  [
    `mutation { setGym(input: { userId: "${leo.id}" }) { id } }`,
    {
      nobody: 'UNAUTHENTICATED',
      gymAdmin: 'VALIDATION_FAILED',
      superAdmin: 'VALIDATION_FAILED',
      otherGymAdmin: 'VALIDATION_FAILED',
      others: 'FORBIDDEN',
    },
  ],
  [
    `mutation { endSession(input: { id: "${leo.id}" }) }`,
    { nobody: 'UNAUTHENTICATED', service: 'FORBIDDEN', others: 'NOT_FOUND' },
  ],
  [
    `mutation { withdrawInvitation(input: { userId: "${leo.id}" }) }`,
    {
      nobody: 'UNAUTHENTICATED',
      gymAdmin: 'CONFLICT',
      otherGymAdmin: 'NOT_FOUND',
      superAdmin: 'CONFLICT',
      service: 'CONFLICT',
      others: 'FORBIDDEN',
    },
  ],
  [
    `mutation { resendInvitation(input: { userId: "${leo.id}" }) { id } }`,
    {
      nobody: 'UNAUTHENTICATED',
      gymAdmin: 'CONFLICT',
      otherGymAdmin: 'NOT_FOUND',
      superAdmin: 'CONFLICT',
      service: 'CONFLICT',
      others: 'FORBIDDEN',
    },
  ],
  [
    '{ invitations { nodes { id } } }',
    {
      nobody: 'UNAUTHENTICATED',
      gymAdmin: 'ok',
      otherGymAdmin: 'ok',
      superAdmin: 'ok',
      others: 'FORBIDDEN',
    },
  ],
  [
    'mutation { deleteMyAccount(input: { password: "wrong" }) { id } }',
    { nobody: 'UNAUTHENTICATED', others: 'FORBIDDEN' },
  ],
  [
    'mutation { inviteUser(input: { email: "none", displayName: "x" }) { id } }',
    { others: 'VALIDATION_FAILED' },
  ],
];
