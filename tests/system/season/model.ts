/** The types of a season, as the test has written it. Nothing here comes from the code of the platform. */
export interface Set {
  id: string;
  type: 'NORMAL' | 'WARMUP' | 'DROP';
  reps?: number;
  weightKg?: number;
  durationSeconds?: number;
  distanceMeters?: number;
}

/** What was measured, as the platform shows it: null for what was not measured. */
export const measuresOf = ({
  reps = null,
  weightKg = null,
  durationSeconds = null,
  distanceMeters = null,
}: Partial<Record<'reps' | 'weightKg' | 'durationSeconds' | 'distanceMeters', number | null>>): object => ({
  reps,
  weightKg,
  durationSeconds,
  distanceMeters,
});

export interface Training {
  /** Undefined for an imported training until its id is known. */
  id: string | undefined;
  /** Null for the training of a squad without a routine. */
  title: string | null;
  /** Milliseconds since 1970; a whole minute, except in a training of a live squad. */
  start: number;
  /** Null while it is running. */
  end: number | null;
  minutes: number;
  timezone: string;
  entries: { exerciseId: string; sets: Set[] }[];
}

export interface Member {
  name: string;
  email: string;
  password: string;
  id: string;
  token: string;
  timezone: string;
  trainings: Training[];
  /** The challenges that they have joined. */
  joined: string[];
}

export interface Challenge {
  id: string;
  metric: 'WORKOUTS' | 'MINUTES';
  start: number;
  end: number;
}
