import { DEMO_GYMS, demoId } from '#server/demo-ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { Gym } from './gyms/gym.entity.ts';
import { Location } from './locations/location.entity.ts';

/** Two gyms and their places; what is there already stays as it is. */
export async function demo(unit: UnitOfWork): Promise<void> {
  await unit.em.upsertMany(Gym, GYMS, { onConflictAction: 'ignore' });
  await unit.em.upsertMany(Location, LOCATIONS, { onConflictAction: 'ignore' });
}

const created = {
  version: 1,
  createdAt: new Date('2026-01-01T00:00:00Z'),
  updatedAt: new Date('2026-01-01T00:00:00Z'),
};
const picture = (colour: string, name: string) =>
  `https://assets.example.test/${name}-${colour.slice(1)}.png`;
const look = (primary: string, secondary: string, slug: string) => ({
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
  { ...DEMO_GYMS.ironTemple, ...look('#b91c1c', '#1f2937', 'iron'), ...created },
  { ...DEMO_GYMS.aquaClub, ...look('#0284c7', '#0f766e', 'aqua'), ...created },
];

const place = (
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
  place(1, DEMO_GYMS.ironTemple.id, 'Forge', 'Hammerweg 1, Berlin', 'Europe/Berlin', 80),
  place(2, DEMO_GYMS.ironTemple.id, 'Anvil', 'Ambossplatz 7, Berlin', 'Europe/Berlin', 40),
  place(3, DEMO_GYMS.aquaClub.id, 'Harbour', '12 Dock Street, New York', 'America/New_York', 60),
];
