import { DEMO_GYMS, demoId } from '#server/demo-ids.ts';
import { DAY_MILLIS } from '#server/durations.ts';
import { pictures } from '../support/pictures.ts';
import { settled } from '../wizard/support.ts';
import type { ExampleCall, Recorder } from './recorder.ts';

const SUPER = 'super@demo.test';

/** The data of each step of a session that sets up a gym. */
const gymNamed = (name: string, slug: string, email: string): Record<string, object> => ({
  basics: { name, slug, timezone: 'Europe/Berlin' },
  branding: { theme: { colors: { primary: '#0f766e' } } },
  locations: { locations: [{ name: 'Main hall', capacity: 80 }] },
  features: { features: { nutrition: true, squad: true } },
  admin: { email, displayName: 'Nora' },
  review: { confirmed: true },
});

export async function wizardExamples(recorder: Recorder): Promise<void> {
  const { record, send } = recorder;
  const session = await record('createWizardSession', { as: SUPER, body: { kind: 'GYM_SETUP' } });
  const at = { as: SUPER, params: { sessionId: session.id } } as const;
  await record('checkAvailability', {
    as: SUPER,
    query: { resource: 'gym-slug', value: 'river-side', reserve: true, sessionId: session.id },
  });
  const { basics, ...others } = gymNamed('River Side', 'river-side', 'nora@river.test');
  await record('updateWizardSession', { ...at, body: { step: 'basics', data: basics } });
  for (const [step, data] of Object.entries(others))
    await send('updateWizardSession', { ...at, body: { step, data } });
  const logo = { step: 'branding', field: 'logo', file: pictures.bomb(320, 320) };
  const file = await record('uploadWizardFile', { ...at, form: logo });
  const fileId = /\/files\/([\w-]+)/.exec(JSON.stringify(file))?.[1] ?? file.id;
  await record('getWizardFile', { as: SUPER, params: { sessionId: session.id, fileId } });
  await record('getWizardSession', at);
  await record('deployWizardSession', at);
  await settled(recorder.platform, session.id);
  await record('listWizardSessions', { as: SUPER, query: { status: 'DEPLOYED', limit: 1 } });

  const { id: cancelled } = await send('createWizardSession', { as: SUPER, body: { kind: 'GYM_SETUP' } });
  await record('cancelWizardSession', { as: SUPER, params: { sessionId: cancelled } });
  const anonymous = await send('createWizardSession', { as: 'nobody', body: { kind: 'MEMBER_ONBOARDING' } });
  await record('claimWizardSession', {
    params: { sessionId: anonymous.id },
    body: { resumeToken: anonymous.resumeToken },
  });
  await firstVisit(recorder, { params: { sessionId: anonymous.id } });
  await failedDeployment(recorder);
  await record('listAccountRecords', { as: 'identity', params: { userId: demoId('999', 2) } });
  await record('eraseAccountRecords', { as: 'identity', params: { userId: demoId('999', 2) } });
}

async function firstVisit({ platform, record, send }: Recorder, at: ExampleCall): Promise<void> {
  const startsAt = new Date(Math.floor((Date.now() + 3 * DAY_MILLIS) / DAY_MILLIS) * DAY_MILLIS + 43_200_000);
  const steps = {
    profile: { displayName: 'Maya' },
    body: { heightCm: 170, weightKg: 60 },
    goals: { goals: ['strength'], nutritionTarget: false },
    slot: { locationId: demoId('301', 2), startsAt: startsAt.toISOString() },
    review: { confirmed: true },
  };
  for (const [step, data] of Object.entries(steps))
    await send('updateWizardSession', { ...at, body: { step, data } });
  await send('deployWizardSession', at);
  await settled(platform, String(at.params?.sessionId));
  await record('listFirstVisits', { as: 'admin@iron.test' });
}

/** A deployment whose gym is in use before it can be undone: a trigger writes a post into it, and its admin is refused. */
async function failedDeployment({ platform, record, send }: Recorder): Promise<void> {
  await platform.sql(
    'gym',
    `create or replace function use_at_once() returns trigger language plpgsql as $$ begin
       insert into post (id, gym_id, author_id, text, like_count, comment_count, created_at)
       values (gen_random_uuid(), new.id, gen_random_uuid(), 'used', 0, 0, now()); return null; end $$;
     create or replace trigger use_at_once after insert on gym for each row when (new.slug = 'east-side') execute function use_at_once()`,
  );
  const { id } = await send('createWizardSession', { as: SUPER, body: { kind: 'GYM_SETUP' } });
  const params = { sessionId: id };
  const gym = gymNamed('East Side', 'east-side', 'zoe@aqua.test');
  for (const [step, data] of Object.entries(gym))
    await send('updateWizardSession', { as: SUPER, params, body: { step, data } });
  await send('deployWizardSession', { as: SUPER, params });
  await settled(platform, id);
  await record('resolveDeployment', {
    as: SUPER,
    params,
    body: { action: 'ACCEPT', note: 'The gym stays; its admin is added by hand.' },
  });
  await platform.sql('gym', 'drop trigger use_at_once on gym; drop function use_at_once()');
  await send('listWizardSessions', { as: SUPER, query: { gymId: DEMO_GYMS.ironTemple.id } }).catch(
    () => undefined,
  );
}
