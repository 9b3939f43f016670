import { pictures } from '../../tests/support/pictures.ts';
import type { LoadOptions } from '../gateway/load.ts';
import { DEMO_PASSWORD } from '#server/demo-ids.ts';
import { jsonHeaders, login, newLocation, newMembers } from './people.ts';

/** Requests that are measured together. */
export type Workload = Pick<LoadOptions, 'url' | 'bodies' | 'headers' | 'connections'>;

/** Names of the workloads that only read the graph. */
export const READING = ['home query of the README', 'history: 200 entries'] as const;

/** The home query, with `further` fields of the user, and with routines or another root field. */
export const homeQuery = (
  further: string,
  root = 'workouts(first: 3) { nodes { title difficulty } }',
): string =>
  `{ me { displayName role gym { name config { theme features } locations { name capacity occupancy { people level } } } nutritionDay { totals { calories } } presence { online } ${further} } ${root} }`;

/** Everyday requests by their names, to a platform with demo data; adds the members who send them. */
export async function workloadsAt(url: string): Promise<ReadonlyMap<string, Workload>> {
  const [maya, staff] = await Promise.all([login(url, 'maya@iron.test'), login(url, 'admin@iron.test')]);
  const members = await newMembers(url, 24);
  const tokens = members.map(({ token }) => token);
  const locationId = await newLocation(url, staff, 'Hall');
  const picture = await pictures.normal('jpeg', 800, 600);
  const graph = (
    query: string,
    token?: string | readonly string[],
    variables: object[] = [{}],
  ): Workload => ({
    url: `${url}/graphql`,
    bodies: variables.map((one) => JSON.stringify({ query, variables: one })),
    // The queries are of different members, because the gateway sends equal concurrent queries of one member only once.
    headers: typeof token === 'object' ? token.map((one) => jsonHeaders(one)) : jsonHeaders(token),
    connections: 10,
  });
  return new Map([
    [
      'log-in',
      graph(
        `mutation ($email: String!) { login(input: { email: $email, password: "${DEMO_PASSWORD}" }) { token user { id } } }`,
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
    [READING[0], graph(homeQuery(''), tokens)],
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

function multipart(picture: Buffer, token: string): Pick<Workload, 'bodies' | 'headers'> {
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
