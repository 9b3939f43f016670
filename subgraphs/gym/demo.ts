import { DAY_MILLIS } from '#server/durations.ts';
import { DEMO_GYMS, demoId, demoPerson } from '#server/demo-ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { Announcement } from './announcements/announcement.entity.ts';
import { Challenge, Participant } from './challenges/challenge.entity.ts';
import { CheckIn } from './check-ins/check-in.entity.ts';
import { ConfigVersion } from './gyms/config-version.entity.ts';
import { insertDemoClasses } from './classes/demo-classes.ts';
import { insertHistory } from './demo-history/history.ts';
import { Gym } from './gyms/gym.entity.ts';
import { Location } from './locations/location.entity.ts';
import { Comment, Like, Post } from './posts/post.entity.ts';

/**
 * Creates two gyms with locations, challenges, an announcement and posts; only once, so that deleted data is not created
 * again.
 * @param withHistory whether it also creates the demo history: four weeks of visits, classes, orders and posts
 * @param now the time of the first start; the times of classes, challenges, visits and the history depend on it
 */
export async function demo(unit: UnitOfWork, withHistory: boolean, now = new Date()): Promise<void> {
  await unit.transaction(async () => {
    // Another replica may start at the same time, and the ids of the history depend on the time.
    await unit.run("select pg_advisory_xact_lock(hashtext('gym demo data'))", []);
    if (await unit.em.count(Gym, { id: DEMO_GYMS.ironTemple.id })) return;
    await insertDemoRows(unit, now);
    if (withHistory) await insertHistory(unit, now);
    else await insertFewVisits(unit, now);
  });
}

/** Inserts the rows that do not belong to the history. Rows that exist stay as they are. */
async function insertDemoRows(unit: UnitOfWork, now: Date): Promise<void> {
  await unit.em.upsertMany(Gym, GYMS, keepExisting);
  await unit.em.upsertMany(
    ConfigVersion,
    GYMS.map(({ id, theme, assets, features }) => ({
      gymId: id,
      version: 1,
      theme,
      assets,
      features,
      publishedBy: demoPerson('super@demo.test').id,
      publishedAt: created.createdAt,
    })),
    keepExisting,
  );
  await unit.em.upsertMany(Location, LOCATIONS, keepExisting);
  await insertDemoClasses(
    unit,
    LOCATIONS.map(({ id }) => id),
    now,
  );
  await unit.em.upsertMany(Challenge, challengesOf(now), keepExisting);
  await unit.em.upsertMany(Announcement, NEWS, keepExisting);
  await unit.em.upsertMany(Post, POSTS, keepExisting);
  await unit.em.upsertMany(
    Like,
    [{ postId: demoId('305', 1), userId: leo.id, createdAt: created.createdAt }],
    keepExisting,
  );
  await unit.em.upsertMany(
    Comment,
    [
      {
        id: demoId('306', 1),
        postId: demoId('305', 1),
        authorId: leo.id,
        text: 'Spotting you next time!',
        createdAt: created.createdAt,
      },
    ],
    keepExisting,
  );
}

/** Inserts two participants and two visits, so that a demo without a history is not empty. */
async function insertFewVisits(unit: UnitOfWork, now: Date): Promise<void> {
  await unit.em.upsertMany(
    Participant,
    [maya, leo].map(({ id }, index) => ({
      challengeId: demoId('302', 1),
      userId: id,
      score: 3 - index,
      reachedAt: now,
      joinedAt: now,
    })),
    keepExisting,
  );
  await unit.em.upsertMany(CheckIn, visitsOf(now), keepExisting);
}

const keepExisting = { onConflictAction: 'ignore' } as const;
const maya = demoPerson('maya@iron.test');
const leo = demoPerson('leo@iron.test');
const ada = demoPerson('admin@iron.test');

const created = {
  version: 1,
  createdAt: new Date('2026-01-01T00:00:00Z'),
  updatedAt: new Date('2026-01-01T00:00:00Z'),
};
const picture = (colour: string, name: string) =>
  `https://assets.example.test/${name}-${colour.slice(1)}.png`;
const branding = (primary: string, secondary: string, slug: string) => ({
  theme: {
    colors: { primary, secondary, background: '#ffffff', text: '#111111' },
    typography: { fontFamily: 'Inter', baseSize: 16 },
    spacing: { unit: 8 },
  },
  assets: {
    logo: picture(primary, `${slug}-logo`),
    splash: picture(primary, `${slug}-splash`),
    icon: picture(primary, `${slug}-icon`),
  },
  features: {
    nutrition: true,
    content: true,
    squad: true,
    wizard: true,
    shop: true,
    challenges: true,
    feed: true,
  },
});

const GYMS = [
  {
    ...DEMO_GYMS.ironTemple,
    timezone: 'Europe/Berlin',
    ...branding('#b91c1c', '#1f2937', 'iron'),
    ...created,
    openedAt: created.createdAt,
  },
  {
    ...DEMO_GYMS.aquaClub,
    timezone: 'America/New_York',
    ...branding('#0284c7', '#0f766e', 'aqua'),
    ...created,
    openedAt: created.createdAt,
  },
];

const locationRow = (
  index: number,
  gymId: string,
  name: string,
  address: string,
  timezone: string,
  capacity: number,
) => ({
  id: demoId('301', index),
  gymId,
  name,
  address,
  timezone,
  capacity,
  maxStayMinutes: 90,
  createdAt: created.createdAt,
  updatedAt: created.updatedAt,
});

const LOCATIONS = [
  locationRow(1, DEMO_GYMS.ironTemple.id, 'Forge', 'Hammerweg 1, Berlin', 'Europe/Berlin', 80),
  locationRow(2, DEMO_GYMS.ironTemple.id, 'Anvil', 'Ambossplatz 7, Berlin', 'Europe/Berlin', 40),
  locationRow(3, DEMO_GYMS.aquaClub.id, 'Harbour', '12 Dock Street, New York', 'America/New_York', 60),
];

/** The two monthly challenges, in the month of the first start: one counts visits, the other counts minutes. */
function challengesOf(now: Date) {
  const startsAt = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
  const endsAt = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
  const month = {
    gymId: DEMO_GYMS.ironTemple.id,
    startsAt,
    endsAt,
    recurrence: 'MONTHLY' as const,
    timezone: 'UTC',
    seriesStartsAt: startsAt,
    seriesEndsAt: endsAt,
    createdAt: created.createdAt,
  };
  return [
    {
      ...month,
      id: demoId('302', 1),
      title: 'Twelve visits this month',
      metric: 'CHECK_INS' as const,
      goal: 12,
    },
    { ...month, id: demoId('302', 2), title: 'A thousand minutes', metric: 'MINUTES' as const, goal: 1_000 },
  ];
}

/** Visits of Leo, yesterday and the day before. */
function visitsOf(now: Date) {
  return [1, 2].map((daysAgo) => {
    const checkedInAt = new Date(now.getTime() - daysAgo * DAY_MILLIS);
    const checkedOutAt = new Date(checkedInAt.getTime() + 70 * 60 * 1000);
    return {
      id: demoId('303', daysAgo),
      userId: leo.id,
      gymId: DEMO_GYMS.ironTemple.id,
      locationId: demoId('301', 1),
      checkedInAt,
      expiresAt: new Date(checkedInAt.getTime() + 90 * 60 * 1000),
      checkedOutAt,
      checkOutKind: 'MANUAL' as const,
      method: 'QR' as const,
      source: 'app',
      checkedInBy: leo.id,
    };
  });
}

const NEWS = [
  {
    id: demoId('304', 1),
    gymId: DEMO_GYMS.ironTemple.id,
    authorId: ada.id,
    title: 'New platform in the Forge',
    text: 'Two more lifting platforms are ready, right of the entrance.',
    startsAt: created.createdAt,
    endsAt: null,
    createdAt: created.createdAt,
  },
];

const post = (
  index: number,
  authorId: string,
  text: string,
  counts: { likeCount: number; commentCount: number },
) => ({
  id: demoId('305', index),
  gymId: DEMO_GYMS.ironTemple.id,
  authorId,
  text,
  image: null,
  ...counts,
  createdAt: created.createdAt,
});

const POSTS = [
  post(1, maya.id, 'First 60 kg squat today. Thanks to everybody who cheered!', {
    likeCount: 1,
    commentCount: 1,
  }),
  post(2, leo.id, 'Who joins for an early run on Saturday?', { likeCount: 0, commentCount: 0 }),
];
