import { HomeDocument } from '../graph.generated.ts';
import { runGraph } from '../graph.ts';

/**
 * What a home screen shows: the member, their gym with the occupancy of its locations, the calories of today, the next
 * workout, the trainings of the last seven days, and two routines.
 */
export const homeOf = (url: string, token: string) => runGraph({ url, token }, HomeDocument, { workouts: 2 });
