/** The callers. `other` roles belong to the other gym; `withoutGym` to none. */
export type Caller =
  | 'nobody'
  | 'member'
  | 'otherMember'
  | 'withoutGym'
  | 'gymAdmin'
  | 'otherGymAdmin'
  | 'superAdmin'
  | 'service';
export const CALLERS = [
  'nobody',
  'member',
  'otherMember',
  'withoutGym',
  'gymAdmin',
  'otherGymAdmin',
  'superAdmin',
  'service',
] as const satisfies Caller[];

/** The expected answer for each caller; `others` for callers that are not named. */
export type Expected<Outcome> = Partial<Record<Caller, Outcome>> & { others: Outcome };
export const expectedOf = <Outcome>(expected: Expected<Outcome>, caller: Caller): Outcome =>
  expected[caller] ?? expected.others;
