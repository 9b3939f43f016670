import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { eventually } from '../../support/eventually.ts';
import { iso, MINUTE_MILLIS, minuteOf, newTraining, someEntries, type Season } from './made-up.ts';
import { measuresOf, type Member, type Set, type Training } from './model.ts';

/** Two stays in a squad of the past; the second one adds its sets. The call for the first stay is sent twice. */
export async function trainInSquad(season: Season, member: Member): Promise<void> {
  const { platform, random, squadToken } = season;
  const training = newTraining(season, member, 'Squad');
  const { start, end } = training;
  const entries = someEntries(season);
  const sets = entries.flatMap(({ exerciseId, sets: own }) => own.map((set) => ({ ...set, exerciseId })));
  if (sets.length === 0) return;
  const split = random.below(sets.length) + 1;
  const middle = minuteOf(start + (end - start) / 2);
  const path = `/content/squads/${randomUUID()}/trainings/${member.id}`;
  const { title, timezone } = training;
  const write = (endedAt: number, minutes: number, done: typeof sets) =>
    platform.expect('PUT', path, squadToken, {
      title,
      timezone,
      startedAt: iso(start),
      endedAt: iso(endedAt),
      minutes,
      sets: done,
    });
  const first = (middle - start) / MINUTE_MILLIS;
  const all = (end - start) / MINUTE_MILLIS;
  const stays = [
    [middle, first, sets.slice(0, split)],
    [middle, first, sets.slice(0, split)],
    [end, all, sets],
  ] as const;
  for (const [endedAt, minutes, done] of stays)
    training.id = (await write(endedAt, minutes, [...done])).trainingId;
  const byExercise = new Map<string, Set[]>();
  for (const { exerciseId, ...set } of sets)
    byExercise.set(exerciseId, [...(byExercise.get(exerciseId) ?? []), set]);
  training.entries = [...byExercise].map(([exerciseId, own]) => ({ exerciseId, sets: own }));
  training.minutes = all;
  member.trainings.push(training);
}

/** A squad of today, from its opening to its end; some sets are corrected. The platform writes the training by itself. */
export async function trainInLiveSquad(season: Season, member: Member): Promise<void> {
  const { platform, random } = season;
  const { token } = member;
  const done = someEntries(season).flatMap(({ exerciseId, sets }) =>
    sets.map((set) => ({ ...set, type: 'NORMAL' as const, exerciseId })),
  );
  if (done.length === 0) return;
  const before = Date.now();
  const { id: squadId } = await platform.expect('POST', '/squad/squads', token, {});
  const update = (setIndex: number, eventId: string, { exerciseId, ...set }: (typeof done)[number]) =>
    platform.expect('POST', `/squad/squads/${squadId}/workout`, token, {
      eventId,
      exerciseIndex: 0,
      setIndex,
      exerciseId,
      phase: 'REST',
      set: measuresOf(set),
    });
  for (const [setIndex, set] of done.entries()) {
    if (random.chance(0.2))
      await update(setIndex, `${setIndex} wrong`, { ...set, ...(set.reps && { reps: set.reps + 1 }) });
    await update(setIndex, String(setIndex), set);
  }
  await platform.expect('POST', `/squad/squads/${squadId}/end`, token);
  const trainingId: string = await eventually(async () => {
    const rows: { squadId: string; trainingId: string | null }[] = await platform.expect(
      'GET',
      `/squad/history/${member.id}?limit=200`,
      token,
    );
    return rows.find((row) => row.squadId === squadId)?.trainingId ?? undefined;
  }, 90_000);
  const stored = await platform.expect('GET', `/content/trainings/${trainingId}`, token);
  const sets = stored.entries.flatMap(({ exerciseId, sets: own }: Training['entries'][number]) =>
    own.map((set) => ({ exerciseId, ...set })),
  );
  const plain = (all: typeof done) =>
    all.map(({ exerciseId, ...set }) => JSON.stringify({ exerciseId, ...measuresOf(set) })).toSorted();
  const [start, end] = [Date.parse(stored.startedAt), Date.parse(stored.endedAt)];
  if (!isDeepStrictEqual(plain(sets), plain(done)) || start < before || end < start || end > Date.now())
    throw new Error(`a squad became another training: ${JSON.stringify({ stored, done })}`);
  const { title, minutes, entries } = stored;
  const { timezone } = member;
  member.trainings.push({
    id: trainingId,
    title,
    start,
    end,
    minutes,
    timezone,
    entries: withoutNulls(entries),
  });
}

/** The recount treats absent measures as undefined. */
const withoutNulls = (entries: Training['entries']): Training['entries'] =>
  entries.map(({ exerciseId, sets }) => ({
    exerciseId,
    sets: sets.map(
      // Fields that may be null may also be absent, which the type of `fromEntries` does not say.
      (set) =>
        Object.fromEntries(Object.entries(set).filter(([, value]) => value !== null)) as unknown as Set,
    ),
  }));
