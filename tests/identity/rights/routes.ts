import { DEMO_GYMS, demoPerson } from '#server/demo-ids.ts';
import type { Expected } from './callers.ts';

const leo = demoPerson('leo@iron.test');
const { ironTemple, aquaClub } = DEMO_GYMS;

const unknown = '01900000-0000-7000-8000-00000000ffff';
const loggedIn: Expected<number> = { nobody: 401, service: 403, others: 200 };
const superOnly: Expected<number> = { nobody: 401, superAdmin: 200, others: 403 };
/** Method, object, path and body of a request, and its status for each caller. */
export const ROUTES: [string, string, string | (() => string), Expected<number>, object?][] = [
  ['GET', 'the caller', '/auth/me', loggedIn],
  ['GET', 'the caller', '/users/me', loggedIn],
  ['GET', 'their sessions', '/auth/sessions', loggedIn],
  ['GET', 'their exports', '/users/me/exports', loggedIn],
  ['POST', 'a new export', '/users/me/exports', { nobody: 401, service: 403, others: 202 }],
  ['GET', 'an unknown export', `/users/me/exports/${unknown}`, { nobody: 401, service: 403, others: 404 }],
  [
    'GET',
    'the document of an unknown export',
    `/users/me/exports/${unknown}/document`,
    { nobody: 401, service: 403, others: 404 },
  ],
  ['GET', 'their QR code', '/users/me/qr.svg', loggedIn],
  ['GET', 'their QR code', '/users/me/qr.png', loggedIn],
  // 400: a service must name the user
  ['PUT', 'their profile', '/profile', { nobody: 401, service: 400, others: 200 }, { units: 'METRIC' }],
  ['POST', 'a new QR code', '/auth/qr/rotate', loggedIn],
  [
    'GET',
    'the users',
    '/users/all',
    { nobody: 401, gymAdmin: 200, otherGymAdmin: 200, superAdmin: 200, others: 403 },
  ],
  [
    'GET',
    'the users of Iron Temple',
    `/users/all?gymId=${ironTemple.id}`,
    { nobody: 401, gymAdmin: 200, superAdmin: 200, others: 403 },
  ],
  ['GET', 'the SUPER_ADMINs', '/users/super-admins', loggedIn],
  ['GET', 'a name that is no id', '/users/1;drop%20table', { nobody: 401, others: 404 }],
  ['PUT', 'a role', `/users/${leo.id}/role`, superOnly, { role: 'MEMBER' }],
  [
    'PUT',
    'the role of an unknown user',
    `/users/${unknown}/role`,
    { nobody: 401, superAdmin: 404, others: 403 },
    { role: 'MEMBER' },
  ],
  [
    'PUT',
    'a membership',
    `/users/${leo.id}/membership`,
    { nobody: 401, gymAdmin: 200, superAdmin: 200, otherGymAdmin: 404, others: 403 },
    { status: 'ACTIVE' },
  ],
  ['PUT', 'a suspension', `/users/${leo.id}/suspension`, superOnly, { suspended: false }],
  [
    'POST',
    'an unknown gym',
    `/gyms/${unknown}/join`,
    {
      nobody: 401,
      gymAdmin: 403,
      otherGymAdmin: 403,
      superAdmin: 403,
      service: 403,
      others: 404,
    },
  ],
  ['POST', 'a mail', '/auth/verify-email/resend', { nobody: 401, service: 403, others: 202 }],
  [
    'GET',
    'memberships',
    `/memberships?userIds=${leo.id},${unknown}`,
    { nobody: 401, service: 200, others: 403 },
  ],
  [
    'PUT',
    'a gym',
    `/users/${leo.id}/gym`,
    { nobody: 401, gymAdmin: 200, superAdmin: 200, otherGymAdmin: 404, others: 403 },
    { gymId: ironTemple.id },
  ],
  // In this row the SUPER_ADMIN moves Leo to Aqua Club; the next row expects this, and moves Leo back.
  [
    'PUT',
    'the other gym',
    `/users/${leo.id}/gym`,
    { nobody: 401, gymAdmin: 403, superAdmin: 200, otherGymAdmin: 404, others: 403 },
    { gymId: aquaClub.id },
  ],
  [
    'PUT',
    'the gym again',
    `/users/${leo.id}/gym`,
    { nobody: 401, superAdmin: 200, otherGymAdmin: 403, gymAdmin: 404, others: 403 },
    { gymId: ironTemple.id },
  ],
  ['GET', 'the audit trail', '/audit-events', superOnly],
  [
    'GET',
    'the audit trail of Iron Temple',
    `/audit?gymId=${ironTemple.id}`,
    { nobody: 401, gymAdmin: 200, superAdmin: 200, others: 403 },
  ],
  ['GET', 'their short-lived QR code', '/users/me/qr', loggedIn],
  ['POST', 'names', '/users/lookup', { nobody: 401, service: 200, others: 403 }, { ids: [leo.id] }],
  ['GET', 'an unknown code', '/qr-codes/FIT-unknown', { nobody: 401, service: 404, others: 403 }],
  ['POST', 'a new key', '/auth/keys/rotate', superOnly],
  ['GET', 'ended sessions', '/auth/ended-sessions', { nobody: 401, service: 200, others: 403 }],
  [
    'GET',
    'a free email',
    '/auth/email-availability?email=nobody@x.test',
    { nobody: 401, service: 200, others: 403 },
  ],
  [
    'GET',
    'an unknown QR code',
    '/users/by-qr-code/FIT-unknown',
    { nobody: 401, gymAdmin: 404, otherGymAdmin: 404, superAdmin: 404, service: 404, others: 403 },
  ],
  ['DELETE', 'an unknown session', `/auth/sessions/${unknown}`, { nobody: 401, service: 403, others: 404 }],
  [
    'DELETE',
    'their account with a wrong password',
    '/users/me',
    { nobody: 401, others: 403 },
    { password: 'wrong' },
  ],
  [
    'DELETE',
    'an unknown invitation',
    `/invitations/${unknown}`,
    { nobody: 401, gymAdmin: 404, otherGymAdmin: 404, superAdmin: 404, service: 404, others: 403 },
  ],
  [
    'DELETE',
    'an accepted invitation',
    `/invitations/${leo.id}`,
    { nobody: 401, gymAdmin: 409, otherGymAdmin: 404, superAdmin: 409, service: 409, others: 403 },
  ],
  [
    'POST',
    'the mail of an accepted invitation',
    `/invitations/${leo.id}/resend`,
    { nobody: 401, gymAdmin: 409, otherGymAdmin: 404, superAdmin: 409, service: 409, others: 403 },
  ],
  [
    'GET',
    'the invitations',
    '/invitations',
    { nobody: 401, gymAdmin: 200, otherGymAdmin: 200, superAdmin: 200, others: 403 },
  ],
  ['GET', 'an unknown picture', '/avatars/none.webp', { others: 404 }],
  ['GET', 'the keys', '/.well-known/jwks.json', { others: 200 }],
];
