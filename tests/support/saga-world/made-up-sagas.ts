import type { SagaPlan } from '#server/saga/saga.ts';
import type { Random } from '../graph-doubles/random.ts';

/** How the other service reacts to the undo of an action. */
export type UndoMode =
  | { kind: 'fine' }
  /** Refused in rounds before this one; each RETRY begins a round. */
  | { kind: 'refused'; untilRound: number }
  /** Fails, as if the service were down, in rounds before this one. */
  | { kind: 'down'; untilRound: number };

export interface MadeUpAction {
  name: string;
  /** Names of the actions whose effects must exist first. */
  after: string[];
  /** How often the other service refuses it: never if 0, always if Infinity. */
  refusals: number;
  undo: UndoMode;
  /** The action whose undo also undoes this one, which then has no undo. */
  goesWith: string | undefined;
}

export interface MadeUpSaga {
  kind: string;
  order: 'sequential' | 'independent';
  onRefusal: 'undo' | 'retry';
  giveUpAfterMillis: number | undefined;
  actions: MadeUpAction[];
}

export function madeUpSaga(random: Random, kind: string): MadeUpSaga {
  const order = random.chance(0.6) ? 'sequential' : 'independent';
  const onRefusal = random.chance(0.8) ? 'undo' : 'retry';
  const count = 1 + random.below(5);
  const names = Array.from({ length: count }, (_, index) => `action-${index + 1}`);
  const refusedAt = random.chance(0.6) ? random.below(count) : -1;
  return {
    kind,
    order,
    onRefusal,
    giveUpAfterMillis: random.chance(0.3) ? 3_000 + random.below(20_000) : undefined,
    actions: names.map((name, index) => {
      const earlier = names.slice(0, index);
      return {
        name,
        after: order === 'sequential' ? earlier : earlier.filter(() => random.chance(0.3)),
        refusals: index !== refusedAt ? 0 : onRefusal === 'retry' ? 1 + random.below(4) : Infinity,
        undo: undoMode(random),
        goesWith: order === 'sequential' && index > 0 && random.chance(0.2) ? names[0] : undefined,
      };
    }),
  };
}

function undoMode(random: Random): UndoMode {
  if (random.chance(0.75)) return { kind: 'fine' };
  return {
    kind: random.chance(0.6) ? 'refused' : 'down',
    untilRound: random.chance(0.5) ? Infinity : 1 + random.below(2),
  };
}

export const planOf = ({ kind, order, actions }: MadeUpSaga, subject: string): SagaPlan => ({
  kind,
  subject,
  // A plan without `after` is sequential.
  actions: actions.map(({ name, after }) => (order === 'sequential' ? { name } : { name, after })),
});
