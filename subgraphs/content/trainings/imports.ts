import type { Readable } from 'node:stream';
import { LockMode } from '@mikro-orm/core';
import { requireUser } from '#server/auth/viewer.ts';
import { validZone } from '#server/calendar.ts';
import { PlatformError } from '#server/errors.ts';
import { uuidv7 } from '#server/ids.ts';
import type { Profiles } from '#server/profiles/profiles.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { Exercises } from '../exercises/exercises.ts';
import type { Modality } from '../exercises/exercises.shapes.ts';
import { computedOf } from './figures.ts';
import { exercisesOfLines } from './imported-exercises.ts';
import { readImport } from './import-files.ts';
import type { LineError } from './imported-lines.ts';
import { mergedEntries, type KnownLine } from './imported-entries.ts';
import type { ImportChoice, TrainingImportShape } from './imports.shapes.ts';
import { importKeyOf } from './logged-lines.ts';
import { storeFigures } from './training-figures.ts';
import { checkedTimes, localDateOf } from './training-times.ts';
import { Training, type TrainingEntry } from './training.entity.ts';

/** Trainings that are written in one transaction. */
const BATCH = 100;
const MAX_ERRORS = 1_000;

/** Imports of trainings from files. */
export class TrainingImports {
  private readonly unit: UnitOfWork;
  private readonly profiles: Profiles;
  private readonly exercises: Exercises;

  constructor(unit: UnitOfWork, profiles: Profiles, exercises: Exercises) {
    this.unit = unit;
    this.profiles = profiles;
    this.exercises = exercises;
  }

  /**
   * Imports the sets of a file. Every line is imported, or is a duplicate, or is wrong and reported. A set that the training
   * log has already is not added again, so that the same file, or a corrected one, can be sent again.
   */
  async run(file: Readable, { timezone, units }: ImportChoice): Promise<TrainingImportShape> {
    const { userId } = requireUser(this.unit.viewer);
    const zone = validZone(timezone) ?? (await this.profiles.of(this.unit)).timezone;
    const read = await readImport(file, { zone, units: units ?? 'METRIC' });
    const errors = read.flatMap((line) => ('errors' in line ? line.errors : []));
    const lines = read.flatMap((line) => ('errors' in line ? [] : [line]));
    const named = lines.flatMap(({ exerciseId }) => exerciseId?.toLowerCase() ?? []);
    // Also about exercises that the user has trained: the transaction first reads which of them are visible.
    await this.exercises.decidePrivate(named, async () => []);
    const { created, known, modalities } = await this.unit.transaction(() =>
      exercisesOfLines(this.unit, this.exercises, lines),
    );
    const report = { imported: 0, duplicates: 0, trainings: 0 };
    const groups = [...Map.groupBy(known, ({ training }) => training).values()];
    for (let start = 0; start < groups.length; start += BATCH) {
      const done = await this.unit.transaction(() =>
        this.write(userId, groups.slice(start, start + BATCH), modalities, zone),
      );
      report.imported += done.imported;
      report.duplicates += done.duplicates;
      report.trainings += done.trainings;
      errors.push(...done.errors);
      this.unit.em.clear(); // otherwise each flush would also compare the trainings of the batches before
    }
    const failed = read.length - report.imported - report.duplicates;
    const inOrder = errors.toSorted((one, other) => one.line - other.line);
    return {
      lines: read.length,
      ...report,
      failed,
      errors: inOrder.slice(0, MAX_ERRORS),
      errorsOmitted: Math.max(0, inOrder.length - MAX_ERRORS),
      created,
    };
  }

  private async write(
    userId: string,
    groups: readonly KnownLine[][],
    modalities: ReadonlyMap<string, Modality>,
    zone: string,
  ) {
    const report = { imported: 0, duplicates: 0, trainings: 0, errors: [] as LineError[] };
    // An import of the same file that runs at the same time must see these trainings.
    await this.unit.run('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`imports:${userId}`]);
    const stored = await this.stored(userId, groups);
    // Several groups may be of one training: a file may name it by its id, and by its start and title.
    const changed = new Set<Training>();
    for (const lines of groups) {
      const [first] = lines;
      if (!first) continue;
      const before = stored.get(first.training);
      const merged = mergedEntries(before?.entries, lines, modalities, first.startedAt);
      report.errors.push(...merged.errors);
      if (merged.added === 0 && before) {
        report.duplicates += merged.duplicates;
        continue;
      }
      if (merged.added + merged.duplicates === 0) continue;
      try {
        const training = before ?? this.begun(userId, first, merged.entries, zone);
        if (!before) report.trainings += 1;
        training.entries = merged.entries;
        Object.assign(training, computedOf(training));
        if (before && !changed.has(before)) {
          before.version += 1;
          before.updatedAt = new Date();
        }
        changed.add(training);
        report.imported += merged.added;
        report.duplicates += merged.duplicates;
      } catch (error) {
        if (!(error instanceof PlatformError)) throw error;
        const wrong = new Set(merged.errors.map(({ line }) => line));
        for (const { line } of lines.filter((one) => !wrong.has(one.line)))
          report.errors.push({ line, column: error.errors?.[0]?.path ?? null, message: error.message });
      }
    }
    await this.unit.em.flush();
    await storeFigures(this.unit, [...changed]);
    return report;
  }

  /** The trainings of the user that the lines name, or that an earlier import has written, locked until the end of the transaction. */
  private async stored(userId: string, groups: readonly KnownLine[][]): Promise<Map<string, Training>> {
    const keys = groups.flatMap(([first]) => (first ? [first.training] : []));
    const ids = groups.flatMap(([first]) => first?.trainingId ?? []);
    const found = await this.unit.em.find(
      Training,
      { userId, $or: [{ id: { $in: ids } }, { importKey: { $in: keys.map(importKeyOf) } }] },
      { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' } },
    );
    const byId = new Map(found.map((training) => [training.id, training]));
    const byKey = new Map(found.map((training) => [training.importKey, training]));
    return new Map(
      keys.flatMap((key) => {
        const training = byId.get(key) ?? byKey.get(importKeyOf(key));
        return training ? [[key, training] as const] : [];
      }),
    );
  }

  /** A new training from a file. If the file does not say when it ended, it ends with its last set. */
  private begun(userId: string, first: KnownLine, entries: readonly TrainingEntry[], zone: string): Training {
    const completed = entries
      .flatMap(({ sets }) =>
        sets.flatMap(({ completedAt }) => (completedAt ? [Date.parse(completedAt)] : [])),
      )
      .reduce((latest, at) => Math.max(latest, at), first.startedAt.getTime());
    const times = checkedTimes(first.startedAt, first.endedAt ?? new Date(completed), first.minutes);
    return this.unit.em.create(Training, {
      id: uuidv7(),
      userId,
      title: first.title,
      ...times,
      localDate: localDateOf(first.startedAt, zone),
      note: first.note,
      entries: [],
      volumeKg: 0,
      version: 1,
      importKey: importKeyOf(first.training),
    });
  }
}
