import { randomUUID } from 'node:crypto';
import { DEMO_GYMS, DEMO_PASSWORD } from '#server/demo-ids.ts';
import type { DaySizes } from './day.ts';
import { Integrator, request } from './integrator.ts';
import type { DayMember } from './turnstile.ts';

/** Creates a location, members and machine clients, and lets the gym's shop sell one product. */
export async function openGym(url: string, { members, tokenSeconds }: DaySizes) {
  const login = async (email: string) => {
    const body = { email, password: DEMO_PASSWORD };
    return (await request(`${url}/identity/auth/login`, 'POST', { body })).body.token as string;
  };
  const staff = await login('admin@iron.test');
  const post = async (at: string, body: object, token = staff) => {
    const answer = await request(`${url}${at}`, 'POST', { token, body });
    if (answer.status !== 201) throw new Error(`${at}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const product = { name: 'Bands', kind: 'MERCHANDISE', price: 500, currency: 'EUR', sku: randomUUID() };
  const { id: productId } = await post('/content/products', product, await login('super@demo.test'));
  await request(`${url}/gym/gym/${DEMO_GYMS.ironTemple.id}/products`, 'PUT', {
    token: staff,
    body: { products: [{ productId, stock: null }] }, // the stock is not counted, so that the product never runs out
  });
  const { id: locationId } = await post('/gym/locations', {
    name: `Hall ${randomUUID()}`,
    timezone: 'Europe/Berlin',
    capacity: members, // in the evening it is BUSY, and never FULL
  });
  const client = async (name: string, scopes: readonly string[], more: object = {}) =>
    new Integrator(url, await post('/identity/api-clients', { name, scopes, ...more }), tokenSeconds);
  return {
    locationId: locationId as string,
    productId: productId as string,
    members: await Promise.all(Array.from({ length: members }, () => newMember(url))),
    turnstileClient: await client('Turnstile', ['check-in'], { locationId }),
    crmClient: await client('CRM', [
      'events:read',
      'webhooks',
      'visits:read',
      'members:read',
      'occupancy:read',
      'orders:read',
    ]),
  };
}

export async function newMember(url: string): Promise<DayMember> {
  for (;;) {
    const email = `${randomUUID()}@day.test`;
    const password = `pass-${randomUUID()}`;
    const account = { email, password, displayName: 'Ada', gymId: DEMO_GYMS.ironTemple.id };
    const { status, body } = await request(`${url}/identity/auth/register`, 'POST', { body: account });
    if (status === 409) continue; // the platform was killed before it could answer the first request
    if (status !== 201) throw new Error(`a registration was refused: ${status} ${JSON.stringify(body)}`);
    const login = await request(`${url}/identity/auth/login`, 'POST', { body: { email, password } });
    return { id: body.id, qrCode: body.qrCode, token: login.body.token };
  }
}
