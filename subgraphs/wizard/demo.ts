import { DAY_MILLIS } from '#server/durations.ts';
import { demoId, demoPerson } from '#server/demo-ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { WizardStorage } from './storage.ts';

const YEAR_MILLIS = 365 * DAY_MILLIS;

/** Creates an incomplete set-up of a gym, to show a wizard in progress. An existing session is not changed. */
export async function demo(unit: UnitOfWork, storage: WizardStorage): Promise<void> {
  const sessions = storage.sessions(unit);
  const id = demoId('501', 1);
  if ((await sessions.findByIds([id])).length > 0) return;
  const now = new Date();
  await sessions.insert({
    id,
    kind: 'GYM_SETUP',
    status: 'DRAFT',
    definitionVersion: 1,
    currentStep: 'locations',
    data: {
      basics: { name: 'Boulder Barn', slug: 'boulder-barn', timezone: 'Europe/Vienna' },
      branding: { theme: { colors: { primary: '#7a3e9d', background: '#ffffff' } } },
      locations: {
        locations: [{ name: 'Main hall', openingHours: { mon: { opens: '06:30', closes: '22:00' } } }],
      },
    },
    files: [],
    version: 4,
    createdBy: demoPerson('super@demo.test').id,
    gymId: null,
    resumeTokenHash: null,
    expiresAt: new Date(now.getTime() + YEAR_MILLIS),
    createdAt: now,
    updatedAt: now,
  });
}
