import { getFitSportName } from 'fit-file-parser/profile';
import {
  fitTimestampToUnixMilliseconds,
  readFitMessages,
  readFitStringField,
  readFitUnsignedField,
  type FitRawMessage,
} from 'fit-file-parser/raw';
import type { Activity, ActivityPart } from './activity-lines.ts';

/** Numbers of messages and fields of the FIT profile. */
const MESSAGE = { session: 18, lap: 19, set: 225, exerciseTitle: 264 } as const;
const START_TIME = 2;
const SPORT = { session: 5, lap: 25 } as const;
const SUB_SPORT = 6;
const ELAPSED_TIME = 7; // milliseconds
const TIMER_TIME = 8; // milliseconds
const DISTANCE = 9; // centimetres
const INTENSITY = 23;
const WARMUP = 2;
const SET = { duration: 0, reps: 3, weight: 4, type: 5, startTime: 6, category: 7, subtype: 8 } as const;
const REST = 0;
const WEIGHT_UNITS_PER_KG = 16;
const TITLE = { category: 0, subtype: 1, text: 2 } as const;

/** Base types of the FIT protocol. */
const ENUM = 0x00;
const UINT8 = 0x02;
const UINT16 = 0x84;
const UINT32 = 0x86;
const INVALID_UINT16 = 0xffff;

const MAX_SESSIONS = 1_000;

/**
 * The activities of a FIT file: its sessions with their sets, else with their laps, else with their totals. Undefined if it
 * has too many sessions, or more laps or sets than `maxParts`.
 */
export function activitiesOfFit(bytes: Uint8Array, maxParts: number): Activity[] | undefined {
  const { messages } = readFitMessages(bytes, { messageNumbers: Object.values(MESSAGE) });
  const of = (number: number) => messages.filter((message) => message.globalMessageNumber === number);
  const laps = of(MESSAGE.lap);
  const found = of(MESSAGE.session);
  const sets = of(MESSAGE.set);
  if (found.length > MAX_SESSIONS || Math.max(laps.length, sets.length) > maxParts) return undefined;
  // A device that lost its power has written laps, but no session.
  const sessions = found.length > 0 ? found : laps.slice(0, 1);
  const titles = titlesOf(of(MESSAGE.exerciseTitle));
  const activities = sessions.map(activityOf);
  const owner = ownersOf(activities);
  const setsOf = Map.groupBy(partsOfSets(sets, titles), owner);
  const lapsOf = Map.groupBy(laps.map(lapOf), owner);
  for (const [index, activity] of activities.entries()) {
    const ownSets = setsOf.get(activity) ?? [];
    const hasSets = ownSets.some(({ isRest }) => !isRest);
    activity.parts = hasSets ? ownSets : (lapsOf.get(activity) ?? []);
    const session = found[index];
    if (activity.parts.length === 0 && session) activity.parts = [lapOf(session)];
  }
  return activities;
}

/** A part belongs to the last activity that began before it. A part that began before all activities belongs to the first one. */
function ownersOf(activities: readonly Activity[]): (part: ActivityPart) => Activity | undefined {
  const begun = activities
    .flatMap((activity) => (activity.startedAt ? [{ at: activity.startedAt.getTime(), activity }] : []))
    .toSorted((one, other) => one.at - other.at);
  return ({ startedAt }) => {
    const began = startedAt?.getTime() ?? -Infinity;
    let first = 0; // becomes the index of the first activity that began after the part
    let end = begun.length;
    while (first < end) {
      const middle = (first + end) >>> 1;
      if ((begun[middle]?.at ?? 0) <= began) first = middle + 1;
      else end = middle;
    }
    return begun[Math.max(0, first - 1)]?.activity ?? activities[0];
  };
}

function activityOf(message: FitRawMessage): Activity {
  const isSession = message.globalMessageNumber === MESSAGE.session;
  const sportNumber = unsigned(message, isSession ? SPORT.session : SPORT.lap, ENUM);
  const sport = (sportNumber !== undefined && getFitSportName(sportNumber)) || 'generic';
  const startedAt = instant(message, START_TIME);
  const elapsed = isSession ? unsigned(message, ELAPSED_TIME, UINT32) : undefined;
  const exercise = exerciseOf(sport, isSession ? unsigned(message, SUB_SPORT, ENUM) : undefined);
  return {
    sport,
    exercise,
    startedAt,
    ...(startedAt &&
      elapsed !== undefined &&
      Number.isFinite(elapsed) && { endedAt: new Date(startedAt.getTime() + elapsed) }),
    title: exercise,
    note: null,
    parts: [],
  };
}

/** Names of exercises of the library, by sport and sub-sport. */
const EXERCISES: Readonly<Record<string, string>> = {
  running: 'Outdoor Run',
  'running 1': 'Treadmill Run',
  'running 3': 'Trail Run',
  cycling: 'Cycling',
  'cycling 5': 'Spin Bike',
  'cycling 6': 'Spin Bike',
  walking: 'Outdoor Walk',
  hiking: 'Hike',
  rowing: 'Rowing',
  'rowing 14': 'Rowing Machine',
  'fitness_equipment 14': 'Rowing Machine',
  'fitness_equipment 15': 'Elliptical Trainer',
  swimming: 'Freestyle Swimming',
  generic: 'Other activity',
};

const exerciseOf = (sport: string, subSport: number | undefined): string =>
  EXERCISES[`${sport} ${subSport}`] ?? EXERCISES[sport] ?? inWords(sport);

const inWords = (name: string): string => {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

function lapOf(message: FitRawMessage): ActivityPart {
  const milliseconds = unsigned(message, TIMER_TIME, UINT32) ?? unsigned(message, ELAPSED_TIME, UINT32) ?? 0;
  return {
    line: message.messageIndex + 1,
    startedAt: instant(message, START_TIME),
    durationSeconds: milliseconds / 1_000,
    distanceMeters: (unsigned(message, DISTANCE, UINT32) ?? 0) / 100,
    isWarmup: message.globalMessageNumber === MESSAGE.lap && unsigned(message, INTENSITY, ENUM) === WARMUP,
  };
}

function partsOfSets(
  messages: readonly FitRawMessage[],
  titles: ReadonlyMap<string, string>,
): ActivityPart[] {
  return messages.map((message) => {
    const category = firstOf(message, SET.category);
    const part: ActivityPart = {
      line: message.messageIndex + 1,
      startedAt: instant(message, SET.startTime),
      durationSeconds: (unsigned(message, SET.duration, UINT32) ?? 0) / 1_000,
      distanceMeters: 0,
    };
    if (unsigned(message, SET.type, UINT8) === REST) return { ...part, isRest: true };
    const title =
      titles.get(`${category} ${firstOf(message, SET.subtype)}`) ??
      (category === undefined ? undefined : CATEGORIES[category]);
    const reps = unsigned(message, SET.reps, UINT16);
    const weight = unsigned(message, SET.weight, UINT16);
    return {
      ...part,
      exercise: title ?? 'Other exercise',
      ...(reps && { reps }),
      ...(reps && weight && { weightKg: Math.round((weight / WEIGHT_UNITS_PER_KG) * 1_000) / 1_000 }),
    };
  });
}

/** What the device shows for an exercise, by its category and subtype. */
function titlesOf(messages: readonly FitRawMessage[]): Map<string, string> {
  const titles = new Map<string, string>();
  for (const message of messages) {
    const text = textOf(message, TITLE.text);
    const category = unsigned(message, TITLE.category, UINT16);
    if (text) titles.set(`${category} ${unsigned(message, TITLE.subtype, UINT16)}`, text.slice(0, 120));
  }
  return titles;
}

const fieldOf = (message: FitRawMessage, number: number) =>
  message.fields.find(({ fieldNumber }) => fieldNumber === number);

/** Undefined for an absent field; NaN for one of another type. */
function unsigned(message: FitRawMessage, number: number, baseType: number): number | undefined {
  const size = baseType === UINT32 ? 4 : baseType === UINT16 ? 2 : 1;
  try {
    return readFitUnsignedField(fieldOf(message, number), baseType, size, message.littleEndian);
  } catch {
    return NaN;
  }
}

function instant(message: FitRawMessage, number: number): Date | undefined {
  const time = unsigned(message, number, UINT32);
  return time === undefined || Number.isNaN(time)
    ? undefined
    : new Date(fitTimestampToUnixMilliseconds(time));
}

/** The first of a list of 16-bit numbers: a set with several exercises counts for the first. */
function firstOf(message: FitRawMessage, number: number): number | undefined {
  const bytes = fieldOf(message, number)?.bytes;
  if (!bytes || bytes.length < 2) return undefined;
  const value = new DataView(bytes.buffer, bytes.byteOffset, 2).getUint16(0, message.littleEndian);
  return value === INVALID_UINT16 ? undefined : value;
}

function textOf(message: FitRawMessage, number: number): string | undefined {
  try {
    return readFitStringField(fieldOf(message, number))?.split('\0')[0]?.trim();
  } catch {
    return undefined;
  }
}

/** Names of exercises of the library by their category of the FIT profile. */
const CATEGORIES: Readonly<Record<number, string>> = {
  0: 'Bench Press',
  1: 'Calf Raise',
  3: 'Carry',
  4: 'Chop',
  5: 'Core exercise',
  6: 'Crunch',
  7: 'Curl',
  8: 'Deadlift',
  9: 'Flye',
  10: 'Hip Raise',
  13: 'Hyperextension',
  14: 'Lateral Raise',
  15: 'Leg Curl',
  16: 'Leg Raise',
  17: 'Lunge',
  18: 'Olympic Lift',
  19: 'Plank',
  21: 'Pull-Up',
  22: 'Push-Up',
  23: 'Row',
  24: 'Shoulder Press',
  26: 'Shrug',
  27: 'Sit-Up',
  28: 'Squat',
  30: 'Triceps Extension',
};
