import { pictures } from '../../tests/support/pictures.ts';
import type { LoadOptions } from '../gateway/load.ts';

const PASSWORD = 'demo-password-1';

/** Requests that are measured together. */
export type Errand = Pick<LoadOptions, 'url' | 'bodies' | 'headers' | 'connections'>;

/** Names of the errands that only read the graph. */
export const READING = ['home query of the README', 'history: 200 entries'] as const;

/** Everyday requests by their names, to a platform with demo data; adds the members who send them. */
export async function errandsAt(url: string): Promise<ReadonlyMap<string, Errand>> {
  const client = new Client(url);
  const [maya, staff] = await Promise.all([client.login('maya@iron.test'), client.login('admin@iron.test')]);
  const members = await Promise.all(Array.from({ length: 24 }, (_, index) => client.newMember(index)));
  const tokens = members.map(({ token }) => token);
  const { id: locationId } = await client.post('/gym/locations', staff, {
    name: 'Hall',
    timezone: 'UTC',
    capacity: 10_000,
  });
  await Promise.all(tokens.map((token) => client.logMeals(token)));
  const picture = await pictures.honest('jpeg', 800, 600);
  const graph = (query: string, token?: string | readonly string[], variables: object[] = [{}]): Errand => ({
    url: `${url}/graphql`,
    bodies: variables.map((one) => JSON.stringify({ query, variables: one })),
    // Different members, because the gateway sends equal concurrent queries of one member once.
    headers: typeof token === 'object' ? token.map(json) : json(token),
    connections: 10,
  });
  return new Map([
    [
      'log-in',
      graph(
        `mutation ($email: String!) { login(input: { email: $email, password: "${PASSWORD}" }) { token user { id } } }`,
        undefined,
        [{ email: 'maya@iron.test' }, { email: 'leo@iron.test' }],
      ),
    ],
    [
      'check-in and check-out',
      graph(
        'mutation ($in: CheckInInput!, $out: CheckOutInput) { checkIn(input: $in) { id checkedInAt location { name } } checkOut(input: $out) { id checkedOutAt } }',
        staff,
        members.map(({ qrCode }) => ({ in: { qrCode, locationId }, out: { qrCode } })),
      ),
    ],
    [
      READING[0],
      graph(
        '{ me { displayName role gym { name config { theme features } locations { name capacity occupancy { people level } } } nutritionDay { totals { calories } } presence { online } } workouts(first: 3) { nodes { title difficulty } } }',
        tokens,
      ),
    ],
    [
      READING[1],
      graph(
        '{ me { foodLogs(first: 200) { nodes { id foodName calories protein carbs fats mealType loggedAt } pageInfo { hasNextPage } } } }',
        tokens,
      ),
    ],
    [
      `avatar of ${Math.round(picture.length / 1024)} KiB`,
      { ...multipart(picture, maya), url: `${url}/identity/profile/upload`, connections: 4 },
    ],
  ]);
}

const json = (token?: string) => ({
  'content-type': 'application/json',
  ...(token && { authorization: `Bearer ${token}` }),
});

function multipart(picture: Buffer, token: string): Pick<Errand, 'bodies' | 'headers'> {
  const boundary = 'bench-boundary';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="avatar"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\n`;
  return {
    bodies: [Buffer.concat([Buffer.from(head), picture, Buffer.from(`\r\n--${boundary}--\r\n`)])],
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      authorization: `Bearer ${token}`,
    },
  };
}

/** Prepares the data of the errands. */
class Client {
  private readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  async post(path: string, token: string | undefined, body: object): Promise<Record<string, string>> {
    const response = await fetch(this.url + path, {
      method: 'POST',
      headers: json(token),
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, string>;
  }

  async login(email: string, password = PASSWORD): Promise<string> {
    return (await this.post('/identity/auth/login', undefined, { email, password })).token ?? '';
  }

  async newMember(index: number): Promise<{ token: string; qrCode: string }> {
    const email = `bench-${index}@example.test`;
    const password = 'a-long-password-1';
    await this.post('/identity/auth/register', undefined, {
      email,
      password,
      displayName: 'Bench',
      gymId: '01900000-0000-7000-8000-000000000001',
    });
    const token = await this.login(email, password);
    const me = await fetch(`${this.url}/identity/users/me`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return { token, qrCode: ((await me.json()) as { qrCode: string }).qrCode };
  }

  async logMeals(token: string): Promise<void> {
    for (let part = 0; part < 10; part += 1)
      await this.post('/nutrition/log', token, {
        entries: Array.from({ length: 20 }, (_, index) => ({
          foodName: `Oatmeal ${part}-${index}`,
          calories: 158,
          protein: 5.5,
          carbs: 27,
          fats: 3.2,
        })),
      });
  }
}
