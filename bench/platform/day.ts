import { DEMO_GYMS } from '#server/demo-ids.ts';
import { dayBefore, jsonHeaders, login, newLocation, newMembers } from './people.ts';
import { homeQuery, type Workload } from './workloads.ts';

/** The share of each request in all requests of a member's day, in per cent. */
const SHARES = {
  'home query of the README': 30,
  'branding at the start of the app': 15,
  'a page of routines': 8,
  'a page of exercises': 6,
  'a page of products': 5,
  'locations with occupancy': 5,
  'class sessions': 6,
  'feed of the gym': 5,
  'nutrition of the day': 10,
  'a meal is logged': 5,
  'history: 200 entries': 2,
  'check-in and check-out': 2.5,
  'log-in': 0.5,
} as const;
export type DayRequest = keyof typeof SHARES;
export const DAY_SHARES: Readonly<Record<DayRequest, number>> = SHARES;

const GYM = DEMO_GYMS.ironTemple.id;

/** The requests of a day by their names. Adds the members who send them. @param url the platform's gateway */
export async function dayAt(url: string, memberCount: number): Promise<ReadonlyMap<DayRequest, Workload>> {
  const staff = await login(url, 'admin@iron.test');
  const members = await newMembers(url, memberCount);
  const locationId = await newLocation(url, staff, 'Hall');
  const byMembers = (query: string, variables: object[] = [{}]): Workload => ({
    url: `${url}/graphql`,
    bodies: variables.map((one) => JSON.stringify({ query, variables: one })),
    headers: members.map(({ token }) => jsonHeaders(token)),
    connections: 10,
  });
  return new Map<DayRequest, Workload>([
    ['home query of the README', byMembers(homeQuery(''))],
    [
      'branding at the start of the app',
      byMembers(`{ gym(id: "${GYM}") { name slug timezone config { theme assets features version } } }`),
    ],
    [
      'a page of routines',
      byMembers(
        '{ workouts(first: 20) { nodes { id title difficulty durationMinutes category image favourite } pageInfo { hasNextPage endCursor } } }',
      ),
    ],
    [
      'a page of exercises',
      byMembers(
        '{ exercises(first: 20) { nodes { id name primaryMuscles equipment level image } pageInfo { hasNextPage endCursor } } muscles { name exercises } }',
      ),
    ],
    [
      'a page of products',
      byMembers(
        '{ products(first: 20) { nodes { id name price currency images available } pageInfo { hasNextPage endCursor } } }',
      ),
    ],
    [
      'locations with occupancy',
      byMembers(
        '{ me { gym { locations { id name address openingHours capacity occupancy { people level } } } } }',
      ),
    ],
    [
      'class sessions',
      byMembers(
        '{ classSessions(first: 20) { nodes { id startsAt endsAt booked capacity class { title } } } }',
      ),
    ],
    ['feed of the gym', byMembers('{ announcements { id title } posts(first: 10) { nodes { id text } } }')],
    ['nutrition of the day', byMembers('{ me { nutritionDay { totals { calories protein carbs fats } } } }')],
    [
      'a meal is logged',
      byMembers(
        'mutation ($input: LogFoodInput!) { logFood(input: $input) { id } }',
        // on different days, because a day can have at most 1,000 entries
        Array.from({ length: 100 }, (_, daysAgo) => ({
          input: {
            foodName: 'Oatmeal',
            calories: 158,
            protein: 5.5,
            carbs: 27,
            fats: 3.2,
            localDate: dayBefore(daysAgo),
          },
        })),
      ),
    ],
    [
      'history: 200 entries',
      byMembers(
        '{ me { foodLogs(first: 200) { nodes { id foodName calories protein carbs fats mealType loggedAt } pageInfo { hasNextPage } } } }',
      ),
    ],
    [
      'check-in and check-out',
      {
        ...byMembers(
          'mutation ($in: CheckInInput!, $out: CheckOutInput) { checkIn(input: $in) { id location { name } } checkOut(input: $out) { id } }',
          members.map(({ qrCode }) => ({ in: { qrCode, locationId }, out: { qrCode } })),
        ),
        headers: jsonHeaders(staff),
      },
    ],
    [
      'log-in',
      {
        ...byMembers(
          'mutation ($email: String!) { login(input: { email: $email, password: "demo-password-1" }) { token } }',
          [{ email: 'maya@iron.test' }, { email: 'leo@iron.test' }],
        ),
        headers: jsonHeaders(),
      },
    ],
  ]);
}
