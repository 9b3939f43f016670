import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { SERVICE_NAMES } from '#server/settings.ts';
import type { TestPlatform } from '../../support/platform.ts';

const DATABASES = SERVICE_NAMES.filter((name) => name !== 'squad');

/**
 * Every row of the tables of all databases as JSON, with `<service>.<table>` as its place, also of those with jobs; and the
 * text of every file in the data folder, with its path. Squad's journals are such files here.
 */
export async function storedData(platform: TestPlatform): Promise<[place: string, content: string][]> {
  const found: [string, string][] = [];
  for (const service of DATABASES) {
    const tables = await platform.sql<{ schema: string; name: string }>(
      service,
      `select table_schema as schema, table_name as name from information_schema.tables
       where table_schema in ('public', 'graphile_worker') and table_type = 'BASE TABLE'`,
    );
    const all = tables.map(
      ({ schema, name }) =>
        `select '${name}' as place, to_jsonb(t)::text as text from "${schema}"."${name}" t`,
    );
    for (const { place, text } of await platform.sql<{ place: string; text: string }>(
      service,
      all.join(' union all '),
    ))
      found.push([`${service}.${place}`, text]);
  }
  for (const entry of await readdir(platform.dataDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    found.push([path.relative(platform.dataDir, file), await readFile(file, 'latin1')]);
  }
  return found;
}

/** The places that have the text in their name or content. */
export const placesIn = (kept: [string, string][], text: string): string[] => [
  ...new Set(
    kept.filter(([place, content]) => place.includes(text) || content.includes(text)).map(([place]) => place),
  ),
];
export const placesOf = async (platform: TestPlatform, text: string): Promise<string[]> =>
  placesIn(await storedData(platform), text);

/**
 * Where services store the id of an erased account: the record that refuses later writes (in squad, the journal of
 * the user), the deletion with its saga, and the event by which the systems of the gym learn that the member was
 * removed.
 */
const ERASURE_RECORDS =
  /^(\w+\.erased_account|identity\.account_deletion|identity\.saga|squad\/users\/.*|(gym|identity)\.event(_outbox)?)$/;
/** The services with any other record of an erased account; for a file, the first folder of its path. */
export const servicesWithRecordsOf = async (platform: TestPlatform, userId: string): Promise<string[]> => [
  ...new Set(
    (await placesOf(platform, userId))
      .filter((place) => !ERASURE_RECORDS.test(place))
      .map((place) => place.split(/[./]/)[0] ?? ''),
  ),
];
/** The kinds of records of a user who has data of all kinds, by service. */
export const KINDS = {
  identity: ['user', 'events', 'sessions', 'passwordResets', 'emailVerifications', 'auditEvents'],
  gym: [
    'checkIns',
    'deniedCheckIns',
    'bookings',
    'calendarFeeds',
    'challenges',
    'posts',
    'comments',
    'likes',
    'reports',
    'commentReports',
    'orders',
    'stockMovements',
    'announcements',
    'auditEvents',
    'events',
  ],
  nutrition: ['foodLogs', 'goals', 'foods', 'foodFavourites', 'imports'],
  content: ['trainings', 'exercises', 'routines', 'favourites'],
  squad: [
    'presence',
    'squads',
    'messages',
    'messageReports',
    'history',
    'invitesReceived',
    'invitesSent',
    'blocks',
    'groups',
    'activities',
  ],
  wizard: ['sessions'],
};
