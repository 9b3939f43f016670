import { createHash } from 'node:crypto';
import { addDays, dayOf, instantOf } from './calendar.ts';
import { DEMO_GYMS, demoPerson } from './demo-ids.ts';

/*
 * The parts of the demo history that several services need: the members whom it adds to the two gyms, the times at which some
 * users train, and numbers that look random and are the same at each first start.
 */

/** The number of days before the first start that the history covers. */
export const HISTORY_DAYS = 28;

type Status = 'ACTIVE' | 'PENDING' | 'FROZEN' | 'ENDED';

export interface DemoMember {
  id: string;
  email: string;
  displayName: string;
  gymId: string;
  timezone: string;
  status: Status;
}

/** The people of these lines, and `rounds` times as many more, who have the first name of one and the last name of another. */
function crowd(rounds: number, ...lines: string[]): string[] {
  const people = lines.flatMap((line) => line.split(', ')).map((name) => name.split(' '));
  return Array.from({ length: rounds + 1 }, (_unused, round) =>
    people.map(([first], index) => `${first} ${people[(index + round * 7) % people.length]?.[1]}`),
  ).flat();
}

const NAMES = {
  ironTemple: {
    ACTIVE: crowd(
      4,
      'Nora Lindqvist, Jonas Weber, Amira Haddad, Tom Becker, Yuki Tanaka, Clara Hoffmann',
      'Mateo Silva, Lena Vogt, Omar Farouk, Greta Sommer, Paul Krüger, Ines Duarte',
      'Felix Brandt, Sofia Rossi, Kofi Mensah, Hanna Schulz, Viktor Novak, Elif Kaya',
      'Max Richter, Priya Nair, Lukas Stein, Marta Kowalska, David Cohen, Julia Franke',
      'Emre Demir, Ida Nielsen, Ben Albrecht, Chloé Martin, Anton Petrov, Mia Keller',
    ),
    PENDING: ['Rosa Winter', 'Finn Otto'],
    FROZEN: ['Oskar Lang', 'Helena Graf'],
    ENDED: ['Peter Sauer', 'Nadia Bauer', 'Tim Voss'],
  },
  aquaClub: {
    ACTIVE: crowd(
      3,
      'Grace Miller, Noah Brooks, Olivia Reyes, Ethan Park, Ava Thompson, Liam Murphy',
      'Isabel Cruz, Marcus Hill, Hannah Levy, Daniel Osei, Ruby Chen, Samuel Ortiz',
      'Naomi Wright, Jack Sullivan, Leila Rahimi, Owen Foster, Tessa Grant, Diego Flores',
    ),
    PENDING: ['Carmen Diaz'],
    FROZEN: ['Walter Young'],
    ENDED: ['Amy Fisher', 'Luke Barnes'],
  },
} as const;

const withoutAccents = (text: string): string => text.normalize('NFKD').replaceAll(/[\u0300-\u036F]/g, '');

const membersOf = (gym: keyof typeof NAMES, domain: string, timezone: string, first: number): DemoMember[] =>
  // `Object.entries` widens the keys to strings, hence the cast.
  Object.entries(NAMES[gym])
    .flatMap(([status, displayNames]: [string, readonly string[]]) =>
      displayNames.map((displayName) => ({ displayName, status: status as Status })),
    )
    .map(({ displayName, status }, index) => ({
      id: `01900000-0000-7000-8000-${String(first + index).padStart(12, '0')}`,
      email: `${withoutAccents(displayName).toLowerCase().replace(' ', '.')}@${domain}`,
      displayName,
      gymId: DEMO_GYMS[gym].id,
      timezone,
      status,
    }));

/** The members whom the history adds to the demo users; they have the same password. */
export const DEMO_MEMBERS: readonly DemoMember[] = [
  ...membersOf('ironTemple', 'iron.test', 'Europe/Berlin', 1_001),
  ...membersOf('aquaClub', 'aqua.test', 'America/New_York', 2_001),
];

/** When a demo user trains: days of the week (1: Monday), the local time and the minutes. */
export interface TrainingHabit {
  userId: string;
  gymId: string;
  timezone: string;
  weekdays: readonly number[];
  at: string;
  minutes: number;
}

const habit = (
  { id: userId, gymId, timezone }: { id: string; gymId: string | null; timezone: string },
  weekdays: readonly number[],
  at: string,
  minutes: number,
): TrainingHabit => ({ userId, gymId: gymId ?? '', timezone, weekdays, at, minutes });

/** The content service stores their trainings, and the gym service their visits at these times. */
export const TRAINING_HABITS: readonly TrainingHabit[] = [
  habit(demoPerson('maya@iron.test'), [1, 3, 5], '18:00', 50),
  habit(demoPerson('leo@iron.test'), [2, 4, 6], '07:10', 65),
  habit(demoPerson('zoe@aqua.test'), [1, 4, 6], '17:30', 45),
  ...DEMO_MEMBERS.filter(({ status }) => status === 'ACTIVE')
    .filter((_member, index) => index % 20 === 0)
    .map((member, index) =>
      habit(member, [2 + (index % 2), 5 + (index % 2)], `19:${10 + index}`, 40 + index * 3),
    ),
];

/** The trainings of a habit in the days of the history that have ended by `now`, the earliest first. */
export function trainingTimes(
  { timezone, weekdays, at, minutes }: TrainingHabit,
  now: Date,
  days = HISTORY_DAYS,
): { day: string; startedAt: Date; endedAt: Date }[] {
  const today = dayOf(now, timezone);
  return Array.from({ length: days + 1 }, (_unused, index) => addDays(today, index - days))
    .filter((day) => weekdays.includes(new Date(`${day}T00:00:00Z`).getUTCDay() || 7))
    .map((day) => ({ day, startedAt: instantOf(day, at, timezone) }))
    .map(({ day, startedAt }) => ({
      day,
      startedAt,
      endedAt: new Date(startedAt.getTime() + minutes * 60_000),
    }))
    .filter(({ endedAt }) => endedAt <= now);
}

/** Numbers that look random, and are the same for the same seed (mulberry32). */
export class Seeded {
  private state: number;

  constructor(seed: string) {
    this.state = createHash('sha256').update(seed).digest().readUInt32LE();
  }

  /** From 0 to below 1. */
  number(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number; both limits are included. */
  int(least: number, most: number): number {
    return least + Math.floor(this.number() * (most - least + 1));
  }

  isLikely(probability: number): boolean {
    return this.number() < probability;
  }

  /** `count` different elements, or all if there are fewer. */
  some<Element>(elements: readonly Element[], count: number): Element[] {
    const left = [...elements];
    return Array.from({ length: Math.min(count, left.length) }, () =>
      left.splice(this.int(0, left.length - 1), 1),
    ).flat();
  }

  one<Element>(elements: readonly [Element, ...Element[]]): Element {
    return elements[this.int(0, elements.length - 1)] ?? elements[0];
  }

  /** The index of one of the weights, with a probability in proportion to the weight. */
  weighted(weights: readonly number[]): number {
    let left = this.number() * weights.reduce((sum, weight) => sum + weight, 0);
    const found = weights.findIndex((weight) => (left -= weight) < 0);
    return Math.max(0, found);
  }

  /** An id of a row that was made at that time: lists are in the order of ids (UUID version 7). */
  idAt(time: Date): string {
    const millis = time.getTime().toString(16).padStart(12, '0');
    const hex = (digits: number) =>
      this.int(0, 16 ** digits - 1)
        .toString(16)
        .padStart(digits, '0');
    return `${millis.slice(0, 8)}-${millis.slice(8)}-7${hex(3)}-8${hex(3)}-${hex(6)}${hex(6)}`;
  }
}
