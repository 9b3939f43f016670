import { importActivities } from './activities.ts';
import { importFile } from './imports.ts';
import { iso, newTraining, someEntries, someTimes, type Season } from './made-up.ts';
import type { Member, Set } from './model.ts';
import { trainInLiveSquad, trainInSquad } from './squads.ts';

async function logWhole(season: Season, member: Member): Promise<void> {
  const training = newTraining(season, member, 'Whole');
  const { start, end, ...fields } = training;
  const body = { ...fields, id: undefined, startedAt: iso(start), endedAt: iso(end) };
  training.id = (await season.platform.expect('POST', '/content/trainings', member.token, body)).id;
  member.trainings.push(training);
}

/** Logs a training set by set. Some sets are sent twice, as by a device that got no answer. */
async function logLive(season: Season, member: Member): Promise<void> {
  const { platform, random } = season;
  const training = newTraining(season, member, 'Live');
  const { start, end, title, timezone, minutes } = training;
  const { id } = await platform.expect('POST', '/content/trainings', member.token, {
    startedAt: iso(start),
    title,
    timezone,
  });
  const byExercise = new Map<string, Set[]>();
  for (const { exerciseId, sets } of training.entries) {
    byExercise.set(exerciseId, [...(byExercise.get(exerciseId) ?? []), ...sets]);
    for (const { id: setId, ...set } of sets)
      for (let time = random.chance(0.2) ? 2 : 1; time > 0; time -= 1)
        await platform.expect('PUT', `/content/trainings/${id}/sets/${setId}`, member.token, {
          ...set,
          exerciseId,
          completedAt: iso(start),
        });
  }
  await platform.expect('PUT', `/content/trainings/${id}`, member.token, { endedAt: iso(end), minutes });
  training.id = id;
  training.entries = [...byExercise].map(([exerciseId, sets]) => ({ exerciseId, sets }));
  member.trainings.push(training);
}

async function edit(season: Season, member: Member): Promise<void> {
  const { platform, random } = season;
  const known = member.trainings.filter(({ id }) => id);
  if (known.length === 0) return;
  const training = random.pick(known);
  const path = `/content/trainings/${training.id}`;
  if (random.chance(0.5)) {
    training.entries = someEntries(season);
    await platform.expect('PUT', path, member.token, { entries: training.entries });
    return;
  }
  const { start, end, minutes } = someTimes(season, member);
  const { timezone } = member;
  Object.assign(training, { start, end, minutes, timezone });
  await platform.expect('PUT', path, member.token, {
    startedAt: iso(start),
    endedAt: iso(end),
    minutes,
    timezone,
  });
}

export async function remove({ platform, random }: Season, member: Member): Promise<void> {
  const known = member.trainings.filter(({ id }) => id);
  if (known.length === 0) return;
  const training = random.pick(known);
  member.trainings = member.trainings.filter((one) => one !== training);
  const { status } = await platform.call('DELETE', `/content/trainings/${training.id}`, member.token);
  // 404: it was deleted by the request whose answer was lost.
  if (status !== 204 && status !== 404) throw new Error(`a training could not be deleted: ${status}`);
}

const ACTIONS = [
  ...Array.from({ length: 8 }, () => logWhole),
  logLive,
  importFile,
  importActivities,
  trainInSquad,
  trainInSquad,
  trainInLiveSquad,
  edit,
  edit,
  remove,
];

/** Does one random action of a member. */
export const act = (season: Season, member: Member): Promise<void> =>
  season.random.pick(ACTIONS)(season, member);
