import { HomeDocument } from '../graph.generated.ts';
import { runGraph } from '../graph.ts';

/** What a home screen shows: the member, their gym with its occupancy, what they ate today, and two routines. */
export const homeOf = (url: string, token: string) => runGraph({ url, token }, HomeDocument, { workouts: 2 });
